"""What agents are asked about: terms of one or two letters, digits, versions, identifiers, code."""

from __future__ import annotations

from lexical.scripts.corpus import Corpus

SHORT = Corpus(
    "short terms",
    {
        "The UK office moved to another floor": ["UK", "uk", "the UK"],
        "Our db is replicated to the EU": ["db", "DB", "EU", "eu db"],
        "He writes Go and R on an M1": ["Go", "R", "r", "M1", "m1 go"],
        "TV is off after 9 pm": ["TV", "tv", "9", "9 pm", "pm"],
        "AI, ML and QA report to Bo": ["AI", "ai", "ML", "QA", "Bo"],
        "A kg costs 5 €": ["kg", "5", "KG"],
    },
    ["US", "F2", "PC", "HR", "8", "ui", "Q"],
)

DIGITS = Corpus(
    "digits",
    {
        "Room 12 seats 30 people": ["12", "30 people", "room 12"],
        "Invoice 4711 is over 1,234.50 euros": ["4711", "1,234.50", "1234.50", "1234"],
        "Call +49 30 901820 after lunch": ["901820", "+49 30 901820", "49"],
        "The PIN of the safe is 0042": ["0042", "pin 0042"],
        "Ana was born on 1987-03-14": ["1987-03-14", "1987", "14"],
        "The meter shows ٤٥٦ kWh": ["456", "٤٥٦", "４５６"],
        "Chapter Ⅻ has 99 pages": ["99", "xii", "Ⅻ"],
        "It fell to -5 degrees": ["-5", "5", "−5"],
        "The lot holds 1½ dozen and x² more": ["1½", "x²"],
    },
    ["13", "4712", "1988", "457", "0043", "90182", "7"],
)

VERSIONS = Corpus(
    "versions",
    {
        "The gateway was upgraded to v2": ["v2", "V2", "gateway v2"],
        "Node 18.19.1 is pinned on CI": ["18.19.1", "node 18", "18", "v18.19.1"],
        "The client needs OpenSSL 3.0.13-1ubuntu2": ["3.0.13-1ubuntu2", "openssl", "3.0.13", "ubuntu2"],
        "Release 2026.11.0rc1 was withdrawn": ["2026.11.0rc1", "rc1", "release 2026"],
        "Python >=3.11,<3.14 is supported": ["3.11", "python 3.14", ">=3.11"],
        "The schema moved from 0.9 to 1.7": ["0.9", "1.7", "schema 1.7"],
        "Kernel 6.8.0-45-generic runs on edge hosts": ["6.8.0-45-generic", "6.8.0", "generic kernel", "45"],
    },
    ["v4", "21.22.23", "beta5", "Ruby 4.5", "77", "v22"],
)

IDENTIFIERS = Corpus(
    "identifiers",
    {
        "Claim POL-358 was paid": ["POL-358", "pol-358", "358", "pol 358"],
        "Claim POL-359 was refused": ["POL-359", "359"],
        "The host db-3.internal is down": ["db-3.internal", "db-3", "DB-3.INTERNAL", "db 3"],
        "The host db-4.internal is up": ["db-4.internal", "db-4"],
        "Write to ann.lee@mail.example.org": ["ann.lee@mail.example.org", "ann.lee", "lee", "mail.example.org"],
        "See https://docs.sample.net/v2/api?q=1": [
            "https://docs.sample.net/v2/api",
            "docs.sample.net",
            "api",
            "sample",
        ],
        "It is kept as customer::home_city": ["customer::home_city", "home_city", "home city", "customer"],
        "Commit 9f8e7d6c5b4a broke it": ["9f8e7d6c5b4a", "9F8E7D6C5B4A", "commit 9f8e7d6c5b4a"],
        "The gateway answers on 10.20.30.40": ["10.20.30.40", "20.30.40"],
        "Settings lie in /etc/nginx/nginx.conf": ["/etc/nginx/nginx.conf", "nginx.conf", "nginx", "etc"],
        "Notes lie in C:\\Users\\zoe\\notes.txt": ["C:\\Users\\zoe\\notes.txt", "notes.txt", "zoe"],
        "Order 550e8400-e29b-41d4-a716-446655440000 shipped": ["550e8400-e29b-41d4-a716-446655440000", "446655440000"],
        "The channel is #launch-week and @bob_smith leads": ["#launch-week", "launch", "@bob_smith", "smith", "bob"],
    },
    ["XYZ-99", "ops.invalid", "deadbeef1234", "192.168.7.7", "/var/log", "@carol", "777"],
)

CODE = Corpus(
    "code",
    {
        "def parse_http_header(line): gives a tuple": [
            "parse_http_header",
            "http header",
            "parse",
            "parse_http_header()",
        ],
        "getUserName2 is deprecated": ["getUserName2", "getusername2", "user name", "get user name"],
        "std::vector<int> grows by doubling": ["std::vector<int>", "std::vector", "vector", "std"],
        "SELECT id FROM accounts WHERE age > 30": ["accounts", "SELECT id FROM accounts", "age > 30"],
        "kubectl rollout restart deploy/billing": ["kubectl", "deploy/billing", "rollout restart", "billing"],
        "It is written in C++": ["C++", "c++"],
        "It is written in C#": ["C#", "c#"],
        "It is served by .NET": [".NET", ".net", "net"],
        "MAX_RETRIES = 5 in settings.py": ["MAX_RETRIES", "max_retries", "retries", "settings.py"],
        "npm install @types/node --save-dev": ["@types/node", "npm", "--save-dev", "types"],
        "HTTPServer wraps XMLParser": ["HTTPServer", "httpserver", "server", "XMLParser", "xml parser"],
        "The flag --no-cache disables memoisation": ["--no-cache", "no-cache", "cache", "memoisation"],
        "node->next = nullptr; frees the list": ["nullptr", "node->next", "next"],
        "The regex ^\\d{3}-[a-z]+$ checks the plate": ["regex", "^\\d{3}-[a-z]+$", "plate"],
    },
    ["Rust", "F#", "fetch_item", "MIN_DELAY", "docker", "vec!", "lambda"],
)
