"""Readers of judged questions: the own format, BEIR, TREC, and ready-made cases; and what a TREC run names."""

from runner.suite_formats.beir import BeirSuite
from runner.suite_formats.cases import CasesSuite
from runner.suite_formats.own import OwnSuite
from runner.suite_formats.trec import TrecSuite
from runner.suite_formats.trec_ids import TrecIds

__all__ = ["BeirSuite", "CasesSuite", "OwnSuite", "TrecIds", "TrecSuite"]
