"""Readers of judged questions: the own format, BEIR, TREC, and ready-made cases."""

from runner.suite_formats.beir import BeirSuite
from runner.suite_formats.cases import CasesSuite
from runner.suite_formats.own import OwnSuite
from runner.suite_formats.trec import TrecSuite

__all__ = ["BeirSuite", "CasesSuite", "OwnSuite", "TrecSuite"]
