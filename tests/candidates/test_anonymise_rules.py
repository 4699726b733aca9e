"""What the shipped rules take out of texts in both languages, and what they leave."""

import pytest

from runner.judging.candidates.anonymise import Rules

TAKEN = [
    ("mail me at wei.chen+x@example.com.tw now", "mail me at <email> now", "e-mail"),
    ("請寄到wei@example.com嗎", "請寄到<email>嗎", "e-mail"),
    ("ｗｅｉ＠ｅｘａｍｐｌｅ．ｃｏｍ", "<email>", "e-mail"),
    ("müller@firma.de", "<email>", "e-mail"),
    ("is https://wei:s3cret@host.example/x down", "is https://<credentials>@host.example/x down", "URL credentials"),
    ("see https://x.example/cb?token=abc&x=1", "see https://x.example/cb?token=<secret>&x=1", "URL secret"),
    ("api.example/v2?a=1&api_key=K9", "api.example/v2?a=1&api_key=<secret>", "URL secret"),
    ("Authorization: Bearer abcdef123456.xyz", "Authorization: Bearer <secret>", "secret"),
    ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.abc_def", "<secret>", "secret"),
    ("key sk-abcdefghijklmnop1234 fails", "key <secret> fails", "secret"),
    ("我的密碼：abc12345", "我的密碼：<secret>", "named secret"),
    ("password is hunter22", "password is <secret>", "named secret"),
    ("電話0912-345-678", "電話<phone>", "phone, Taiwanese mobile"),
    ("call 0912345678", "call <phone>", "phone, Taiwanese mobile"),
    ("call 0912 345 678", "call <phone>", "phone, Taiwanese mobile"),
    ("打０９１２－３４５－６７８給我", "打<phone>給我", "phone, Taiwanese mobile"),
    ("０９１２３４５６７８", "<phone>", "phone, Taiwanese mobile"),
    ("our office is (02) 1234-5678", "our office is <phone>", "phone, with its area"),
    ("（０２）１２３４－５６７８", "<phone>", "phone, with its area"),
    ("（02）12345678 分機 123 找我", "<phone> 找我", "phone, with its area"),
    ("02-1234-5678#12", "<phone>", "phone, with its area"),
    ("037-123456", "<phone>", "phone, with its area"),
    ("0800-123-456", "<phone>", "phone, with its area"),
    ("02 2345 6789", "<phone>", "phone, with its area"),
    ("(415) 555-2671", "<phone>", "phone, with its area"),
    ("415-555-2671 ext. 12", "<phone>", "phone, with its area"),
    ("0044 20 7946 0958", "<phone>", "phone, with its area"),
    ("+886 912 345 678", "<phone>", "phone, international"),
    ("+886-2-1234-5678", "<phone>", "phone, international"),
    ("+1 (415) 555-2671", "<phone>", "phone, international"),
    ("＋８８６９１２３４５６７８", "<phone>", "phone, international"),
    ("my id A123456789", "my id <id>", "Taiwanese ID"),
    ("身分證A123456789號", "身分證<id>號", "Taiwanese ID"),
    ("ａ１２３４５６７８９", "<id>", "Taiwanese ID"),
    ("居留證AB12345678", "居留證<id>", "Taiwanese ID"),
    ("from 192.168.1.20 to us", "from <ip> to us", "IPv4"),
    ("來自10.0.0.1。", "來自<ip>。", "IPv4"),
    ("it is 10.0.0.1.", "it is <ip>.", "IPv4"),
    ("4111 1111 1111 1111", "<number>", "card number"),
    ("卡號4111-1111-1111-1111", "卡號<number>", "card number"),
    ("3782 822463 10005", "<number>", "card number"),
    ("訂單1234567", "訂單<number>", "long number"),
    ("user12345678 is locked out", "user<number> is locked out", "long number"),
    ("帳號１２３４５６７８", "帳號<number>", "long number"),
    ("連到https://wei:s3cret@host.example/x", "連到https://<credentials>@host.example/x", "URL credentials"),
    ("我的token: abc12345", "我的token: <secret>", "named secret"),
    ("用Bearer abcdef123456", "用Bearer <secret>", "secret"),
    ("wei@例子.com", "<email>", "e-mail"),
    ("müller@bücher.de 寄不到", "<email> 寄不到", "e-mail"),
    ("wei@gmail。com", "<email>", "e-mail"),
    ("寄給 wei@example.com。OK?", "寄給 <email>。OK?", "e-mail"),
    ("wei【at】example.com", "<email>", "e-mail"),
    ("wei (at) example (dot) com", "<email>", "e-mail"),
    ("w\u200bei@exam\u200bple.com\u200b嗎", "<email>\u200b嗎", "e-mail"),
    (f"寄給{'a' * 80}@example.com", "寄給<email>", "e-mail"),
    ("用戶@例子.台灣", "<email>", "e-mail, Chinese or spaced"),
    ("寄給，王小明@公司.tw謝謝", "寄給，<email>謝謝", "e-mail, Chinese or spaced"),
    ("mail wei @ example.com now", "mail <email> now", "e-mail, Chinese or spaced"),
    ("1 MySQL at 192.168.8.33", "1 MySQL at <ip>", "IPv4"),
    ("ping 2001:db8::1 fails", "ping <ip> fails", "IPv6"),
    ("來自fe80::1%eth0的連線", "來自<ip>的連線", "IPv6"),
    ("2001:0db8:85a3:0000:0000:8a2e:0370:7334", "<ip>", "IPv6"),
    ("0912\u00a0345\u00a0678", "<phone>", "phone, Taiwanese mobile"),
    ("0912\u3000345\u3000678", "<phone>", "phone, Taiwanese mobile"),
    ("0912—345—678", "<phone>", "phone, Taiwanese mobile"),
    ("0912\u2212345\u2212678", "<phone>", "phone, Taiwanese mobile"),
    ("09\u200b12345678", "<phone>", "phone, Taiwanese mobile"),
    ("打(0912)345-678找我", "打<phone>找我", "phone, Taiwanese mobile"),
    ("(0912)345678", "<phone>", "phone, Taiwanese mobile"),
    ("0912/345/678", "<phone>", "phone, Taiwanese mobile"),
    ("0912-34-5678", "<phone>", "phone, Taiwanese mobile"),
    ("1.0912345678", "1.<phone>", "phone, Taiwanese mobile"),
    ("02—2345—6789", "<phone>", "phone, with its area"),
    ("02\u00a02345\u00a06789", "<phone>", "phone, with its area"),
    ("415 555 2671", "<phone>", "phone, with its area"),
    ("1-415-555-2671", "<phone>", "phone, with its area"),
    ("打 138 0013 8000", "打 <phone>", "phone, with its area"),
    ("886-2-23456789", "<phone>", "phone, international"),
    ("打(886)912345678", "打<phone>", "phone, international"),
    ("+886 (0)912 345 678", "<phone>", "phone, international"),
    ("4111\u00a01111\u00a01111\u00a01111", "<number>", "card number"),
    ("4242 4242 4242 4242", "<number>", "card number"),
    ("1234 5678 9012", "<number>", "card number"),
    ("DE89 3704 0044 0532 0130 00", "DE89 <number>", "card number"),
    ("電話 2345-6789", "電話 <number>", "long number"),
    ("012-345-678901", "<number>", "long number"),
    ("帳號：0001-234-567890-1", "帳號：<number>", "long number"),
    ("帳號12345678則無法登入", "帳號<number>則無法登入", "long number"),
    ("訂單 98765432 人工審核", "訂單 <number> 人工審核", "long number"),
    ("帳號12345678萬一", "帳號<number>萬一", "long number"),
    ("帳號12345678元大銀行", "帳號<number>元大銀行", "long number"),
    ("請打0223456789則", "請打<number>則", "long number"),
    ("card 4111111111111111 人", "card <number> 人", "long number"),
    ("$4111111111111111", "$<number>", "long number"),
    ("error 4111111111111111", "error <number>", "long number"),
    ("錯誤碼 0223456789", "錯誤碼 <number>", "long number"),
    ("2026-11-30 帳號 12345678", "2026-11-30 帳號 <number>", "long number"),
    ("2026-11-30-12345678", "2026-11-30-<number>", "long number"),
]
LEFT = [
    "error E4042", "錯誤 E4042 怎麼辦", "TW-2112", "0x80070005", "0x12345678", "exit code 7 versus 8", "it says 3202",
    "E-1001", "python 3.11.2 or 3.12", "from 0.115.12 to 0.116.0", "v1.2.3.4", "npm i foo@1.2.3", "gpt-4o-2024-08-06",
    "it costs $1,200", "NT$1,299", "NT$1234567", "$ 1234567 a year", "1234567元", "一年 1234567 元", "50% of 300",
    "in 2026", "2024 2025 2026 2027", "2024-2025", "2026年11月30日", "113/02/15",
    "2026-11-30", "2026/11/30", "30.11.2026", "20261130", "2025-03-01 2026-03-01", "2026-09 2026-10-01",
    "2026-11-30T14:00:00+08:00", "UTC+8 2026-11-30 14:00", "UTC +8 2026-11-30", "10:30:45", "24/7",
    "HTTP 404", "HTTP 503, 500", "404/500", "429 503", "port 8080", "RFC 7231", "ISO 8601",
    "core-en-001", "core-zh-013", "k=1,3,5,10", "100-200-300", "192.168.1", "3.1415926535",
    "10000000 messages", "1000000000", "每秒 50000 則", "5 GB, 1048576 bytes", "1-800",
    "use @app.get to route", "C++ and C#", "how do I rotate a token?", "api_key: where is it", "token=YOUR_TOKEN",
    "error 80070005", "80070005", "HRESULT -2147024891", "exit code 3221225477", "KB5005565", "AADSTS7000215",
    "ERR0000123", "E1234567", "錯誤代碼：20001234", "錯誤碼 1073740940", "錯誤代號是20001234", "2147483647",
    "4294967295", "18446744073709551615", "limit 1048576", "timeout 3600000 ms", "逾時 3600000", "1234567 ms",
    "CVE-2021-44228", "ISBN 978-3-16-148410-0", "2024-2026", "1999–2026", "２０２４－２０２６", "2026-09-2026-10",
    "RFC 7231-7235", "8080-8090", "1024-65535", "1000-2000", "ports 8080 8181 8282", "8080 8081 8082",
    "401/403/404", "401 403 404 500", "gpt-4.1-2025-04-14", "claude-3-7-20250219", "20261130123456", "30-11-2026",
    "09/12/2026 10:30", "2026.09.10 2026.09.20", "2026-09-10 2026-09-20", "一共12345678人，怎麼辦",
    "8.0.33.0", "MySQL 8.0.33.0", "版本 8.0.33.1", "8.0.33.1 版", "version 1.2.3.4", "pip install x==1.2.3.4",
    "10.0.0.0/8", "git@github.com", "git clone git@github.com:a/b.git", "ssh://git@github.com/a/b", "react@18.2.0",
    "請問用@app.get怎麼寫", "y = x @ self.weight", "std::vector", "12:30:45", "abc::def", "a::1", "C++11 2014 2017",
    "sk-learn-something-longer",
    "password: how to reset it", "怎麼更換金鑰？", "密碼：怎麼改", "",
]  # fmt: skip


@pytest.mark.parametrize(("text", "left", "rule"), TAKEN)
def test_what_points_to_a_person_is_taken_out_and_the_rule_is_named(
    text: str, left: str, rule: str, default_rules: Rules
) -> None:
    found = default_rules.apply(text)
    assert (found.text, found.rules) == (left, (rule,))


@pytest.mark.parametrize("text", LEFT)
def test_what_a_question_is_about_is_left(text: str, default_rules: Rules) -> None:
    found = default_rules.apply(text)
    assert (found.text, found.rules) == (text, ())


@pytest.mark.parametrize("text", [text for text, _, _ in TAKEN])
def test_a_text_that_was_anonymised_is_left_as_it_is(text: str, default_rules: Rules) -> None:
    once = default_rules.apply(text).text
    assert default_rules.apply(once).text == once


def test_several_rules_on_one_text_are_named_in_the_order_of_the_file(default_rules: Rules) -> None:
    found = default_rules.apply("wei@example.com 或 0912-345-678，IP 10.1.2.3，錯誤 E4042")
    assert found.text == "<email> 或 <phone>，IP <ip>，錯誤 E4042"
    assert found.rules == ("e-mail", "IPv4", "phone, Taiwanese mobile")
    assert set(found.rules) < set(default_rules.names)


def test_the_shipped_rules_repeat_nothing_inside_an_endless_repeat(default_rules: Rules) -> None:
    assert default_rules.slow == ()


# Each of these makes one of the rules begin everywhere; a rule that took quadratic time would not come back here.
@pytest.mark.parametrize(
    "piece",
    [
        "a",
        "1",
        "0-",
        "a.",
        "+1-",
        "@a.",
        "token is ",
        "eyJaaaaaaaa.",
        "中",
        "(02) ",
        "００",
        "a@",
        "a@b.",
        "中@中.",
        "a @ ",
        "2001:",
        "error 1234567 ",
        "1234 ",
        "1.1.1.0 ",
    ],
)
def test_a_very_long_text_is_read_to_its_end(piece: str, default_rules: Rules) -> None:
    text = piece * (60_000 // len(piece))
    assert default_rules.apply(f"{text} wei@example.com").text.endswith("<email>")
