#!/usr/bin/env python3
"""Client of the Civic Records Service in one file, for Python 3.9 or newer and its standard library.

    civic = Civic("https://records.example.org", key=os.environ["CIVIC_API_KEY"])
    for change in civic.changes(resource="meetings"):
        print(change["cursor"], change["operation"], change["recordId"])

Keep a copy in SQLite, with the key in CIVIC_API_KEY or in a file:

    python3 civic_records.py replicate --base-url https://records.example.org --to mirror.db --verify
"""

import argparse
import email.utils
import hashlib
import http.client
import itertools
import json
import os
import random
import socket
import sqlite3
import sys
import threading
import time
import unicodedata
import urllib.error
import urllib.parse
import urllib.request

TOOL_PROTOCOL = "2026-07-28"
PAGE = 500
FIRST_REDUCED = 50
SEARCH_PAGE = 20
MAX_ANSWER_BYTES = 2**27
MAX_REFUSAL_BYTES = 2**20
MAX_PAUSE = 86_400.0
_MODULUS = 2**256


class CivicError(Exception):
    """A refusal of the service, or a missing response. Decide by `code`.

    The codes are those of the API reference, and `no_answer`, `not_json` and `unknown`. `status` is the HTTP status, 0 without an answer and
    200 for a refusal of a tool; `details` depends on the code; `request_id` names the request in the logs; `retry_after` is in seconds.
    """

    def __init__(self, code, message, status=0, details=None, request_id=None, retry_after=None):
        super().__init__(f"{code}: {message}")
        self.code, self.message, self.status = code, message, status
        self.details, self.request_id, self.retry_after = details, request_id, retry_after


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """Refuses redirects: urllib would send the key to the new address."""

    def redirect_request(self, *_):
        return None


class _Watch:
    """Ends a request at its deadline. A timeout of urllib limits only the wait for the next bytes."""

    def __init__(self, seconds):
        self._socket, self.expired = None, False
        self._timer = threading.Timer(seconds, self._expire)
        self._timer.daemon = True

    def __enter__(self):
        self._timer.start()
        return self

    def __exit__(self, *_):
        self._timer.cancel()

    def attach(self, connected):
        self._socket = connected
        if self.expired:
            self._expire()

    def _expire(self):
        self.expired = True
        if self._socket is not None:
            try:
                # Not the method of a TLS socket, which another thread is using.
                socket.socket.shutdown(self._socket, socket.SHUT_RDWR)
            except OSError:
                pass


def _watched(kind, watch):
    """Returns a function that creates connections of a kind, whose sockets the watch can end."""

    class Connection(kind):
        def connect(self):
            super().connect()
            watch.attach(self.sock)

    return Connection


class _HttpHandler(urllib.request.HTTPHandler):
    def http_open(self, request):
        return self.do_open(_watched(http.client.HTTPConnection, request.watch), request)


class _HttpsHandler(urllib.request.HTTPSHandler):
    def https_open(self, request):
        return self.do_open(_watched(http.client.HTTPSConnection, request.watch), request)


class Civic:
    """One service. `retries` is the number of attempts after a 429, a status of 500 or more, or no response; `max_pause` and `timeout` are in seconds.

    A 429 that asks for a longer pause than `max_pause` is raised; no pause is longer than a day. `sleep` waits; what it raises ends a call.
    The variables HTTP_PROXY, HTTPS_PROXY and NO_PROXY apply.
    """

    def __init__(self, base_url, key=None, *, retries=5, max_pause=60.0, timeout=60.0, sleep=time.sleep, on_retry=None):
        _require_address(base_url)
        if key is not None and not (key and all("!" <= character <= "~" for character in key)):
            raise ValueError("the API key is empty or has a character that no key has, such as a line break")
        self.base_url = base_url.rstrip("/")
        self._key, self._retries, self._max_pause, self._timeout = key, retries, max_pause, timeout
        self._sleep, self._on_retry = sleep, on_retry
        self._opener = urllib.request.build_opener(_NoRedirect, _HttpHandler, _HttpsHandler)

    def request(self, method, path, body=None, headers=None, **query):
        """Returns the JSON of a successful response. `path` begins with a slash. Raises `CivicError`."""
        given = {name: value for name, value in query.items() if value is not None}
        url = self.base_url + path + ("?" + urllib.parse.urlencode(given) if given else "")
        return self._repeated(lambda: self._once(method, url, body, headers or {}))

    def feed_head(self):
        """Returns the newest position of the feed: `cursor`, and `digests` by resource. Raises `feed_unavailable` if the service cannot read its feed."""

        def once():
            head = self._once("GET", self.base_url + "/api/v1/data/health", None, {})["data"]["pipeline"]["head"]
            if head is None:
                raise CivicError("feed_unavailable", "the service cannot read its feed", 200)
            return head

        return self._repeated(once)

    def _repeated(self, once):
        for attempt in range(self._retries + 1):
            try:
                return once()
            except CivicError as error:
                passes = error.code in ("no_answer", "feed_unavailable") or error.status == 429 or error.status >= 500
                if not passes or attempt == self._retries or (error.retry_after or 0) > self._max_pause:
                    raise
                backoff = min(0.5 * 2**attempt, 30.0) * random.uniform(0.5, 1.0)
                pause = min(backoff if error.retry_after is None else error.retry_after, self._max_pause, MAX_PAUSE)
                if self._on_retry:
                    self._on_retry(error, pause)
                self._sleep(pause)

    def _once(self, method, url, body, headers):
        request = urllib.request.Request(url, method=method, headers={"Accept": "application/json", **headers})
        if self._key is not None:
            request.add_header("Authorization", f"Bearer {self._key}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        with _Watch(self._timeout) as request.watch:
            try:
                with self._opener.open(request, timeout=self._timeout) as response:
                    status, kind, text = response.status, response.headers.get_content_type(), response.read(MAX_ANSWER_BYTES + 1)
            except urllib.error.HTTPError as answer:
                with answer:
                    try:
                        text = answer.read(MAX_REFUSAL_BYTES)
                    except (OSError, http.client.HTTPException):
                        text = b""
                raise _refusal(answer.code, answer.headers, text) from None
            except (OSError, http.client.HTTPException) as error:
                reason = f"not within {self._timeout:g} s" if request.watch.expired else getattr(error, "reason", None) or repr(error)
                raise CivicError("no_answer", f"no answer from {self.base_url} ({reason})") from error
            if request.watch.expired:
                raise CivicError("no_answer", f"no answer from {self.base_url} (not within {self._timeout:g} s)")
        if len(text) > MAX_ANSWER_BYTES:
            raise CivicError("unknown", f"the answer from {self.base_url} is over {MAX_ANSWER_BYTES} bytes", status)
        try:
            return json.loads(text)
        except ValueError:
            # The JSON was cut off on its way. The next attempt might succeed.
            if kind.endswith("json"):
                raise CivicError("no_answer", f"the answer from {self.base_url} was cut off") from None
            raise CivicError("not_json", f"the answer is not JSON: check the base URL {self.base_url}", status) from None

    def change_pages(self, cursor=None, resource=None, page_size=PAGE):
        """Yields pages of the feed after `cursor`, up to its head. Store `page["meta"]["nextCursor"]` with what you did with the page."""
        more, size = True, _PageSize(page_size)
        while more:
            page = size.read(self, "/api/v1/data/changes", cursor=cursor, resource=resource)
            following, more = _next(page, cursor)
            yield page
            cursor = following

    def changes(self, cursor=None, resource=None, limit=None, page_size=PAGE):
        """Yields changes after `cursor`, `limit` at most; each has its own cursor. Raises `cursor_expired` if a new snapshot is needed."""
        pages = self.change_pages(cursor, resource, _smaller(page_size, limit))
        return itertools.islice((item for page in pages for item in page["data"]["items"]), limit)

    def take_snapshot(self):
        """Takes a snapshot and returns `snapshotId`, `boundaryCursor`, and `counts` and `digests` by resource."""
        return self.request("POST", "/api/v1/data/snapshots")["data"]

    def snapshot_pages(self, snapshot_id, resource, page_size=PAGE, cursor=None):
        """Yields pages of a resource of a snapshot. `cursor` continues after a page, whose `page["meta"]["nextCursor"]` it is."""
        path = f"/api/v1/data/snapshots/{urllib.parse.quote(snapshot_id, '')}/{urllib.parse.quote(resource, '')}"
        more, size = True, _PageSize(page_size)
        while more:
            page = size.read(self, path, cursor=cursor)
            following, more = _next(page, cursor)
            yield page
            cursor = following

    def snapshot_records(self, snapshot_id, resource, limit=None, page_size=PAGE):
        """Yields records of a resource of a snapshot, `limit` at most."""
        pages = self.snapshot_pages(snapshot_id, resource, _smaller(page_size, limit))
        return itertools.islice((item for page in pages for item in page["data"]["items"]), limit)

    def search_pages(self, query, page_size=None, **filters):
        """Yields pages of the tool search_agenda; `filters` are its other arguments, such as jurisdictionSlug, topicSlug, fromDate, toDate."""
        if "limit" in filters:
            raise TypeError("search_pages() has no limit: page_size is the number of results of a page")
        if page_size is not None:
            filters["limit"] = page_size
        while True:
            page = self.call_tool("search_agenda", query=query, **filters)
            yield page
            if page["nextCursor"] is None:
                return
            filters["cursor"] = page["nextCursor"]

    def search(self, query, limit=None, page_size=None, **filters):
        """Yields matching agenda items, the best first, `limit` at most."""
        pages = self.search_pages(query, _smaller(page_size, limit and min(limit, SEARCH_PAGE)), **filters)
        return itertools.islice((item for page in pages for item in page["results"]), limit)

    def call_tool(self, tool, **arguments):
        """Returns the data of a tool. Raises its refusals; the details of `payment_required` are the payment challenge."""
        prefix = "io.modelcontextprotocol/"
        params = {"name": tool, "arguments": arguments, "_meta": {prefix + "protocolVersion": TOOL_PROTOCOL, prefix + "clientCapabilities": {}}}
        headers = {"MCP-Protocol-Version": TOOL_PROTOCOL, "Mcp-Method": "tools/call", "Mcp-Name": tool}
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        answer = self.request("POST", "/api/v1/mcp", body, headers)
        if "error" in answer:
            error = answer["error"]
            raise CivicError((error.get("data") or {}).get("code", "unknown"), error.get("message", ""), 200)
        content = answer["result"].get("structuredContent") or {}
        if "error" in content:
            error = content["error"]
            raise CivicError(error["code"], error["message"], 200, error.get("details"), retry_after=error.get("retryAfterSeconds"))
        if "data" not in content:
            raise CivicError("payment_required", f"a call of {tool} must be paid", 200, content)
        return content["data"]


class _PageSize:
    """Size of the next page: half as many items if large records made a page too large, and more again after some pages that fit."""

    PAGES_BEFORE_GROWTH = 8

    def __init__(self, wanted):
        """Without a size, the service decides as long as its pages fit."""
        self._wanted, self._limit, self._fitted = wanted, wanted, 0

    def read(self, civic, path, **query):
        while True:
            try:
                page = civic.request("GET", path, limit=self._limit, **query)
            except CivicError as error:
                if error.code != "response_too_large" or self._limit == 1:
                    raise
                self._limit, self._fitted = min(self._limit or 2 * FIRST_REDUCED, PAGE) // 2, 0
                continue
            self._fitted += 1
            if self._limit != self._wanted and self._fitted >= self.PAGES_BEFORE_GROWTH:
                twice, self._fitted = 2 * self._limit, 0
                self._limit = self._wanted if twice >= min(self._wanted or 2 * FIRST_REDUCED, PAGE) else twice
            return page


def _require_address(text):
    """Raises `ValueError` for an address that no service has. The message has no password."""
    try:
        parts = urllib.parse.urlsplit(text)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
    except ValueError:
        usable = False
    if not usable:
        given = "" if "@" in text else f", not {text!r}"
        raise ValueError(f"the base URL must be an address such as https://records.example.org{given}")
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise ValueError("the base URL must have no user, password, query or fragment; pass the key separately")


def _smaller(page_size, limit):
    """Returns the size of a page that has no more items than are wanted. None leaves the size to the service."""
    return page_size if limit is None else max(1, min(limit, page_size or limit))


def _next(page, cursor):
    """Returns the next cursor and `hasMore`. Raises if the response is not a page, or if its cursor did not advance."""
    try:
        following, more, items = page["meta"]["nextCursor"], page["meta"]["hasMore"], page["data"]["items"]
    except (KeyError, TypeError):
        raise CivicError("not_json", "the answer is no page: check the base URL", 200) from None
    if not isinstance(items, list) or (more and (not isinstance(following, str) or following == cursor)):
        raise CivicError("unknown", "the page says that more follow, and leads to no other page", 200)
    return following, more


def _refusal(status, headers, text):
    if 300 <= status < 400:
        to = headers.get("location")
        return CivicError("unknown", f"the answer leads to {(to or 'elsewhere')[:500]!r}, which is not followed: check the base URL", status)
    try:
        error = json.loads(text)["error"]
        code = error["code"] if isinstance(error["code"], str) else error["data"]["code"]
        message, details = error["message"], error.get("details")
    except (ValueError, KeyError, TypeError):
        code, message, details = "unknown", f"{status} {text[:200].decode(errors='replace')}", None
    return CivicError(code, message, status, details, headers.get("x-request-id"), _seconds(headers.get("retry-after")))


def _seconds(wait):
    """Proxies can send a date."""
    if wait is None:
        return None
    if wait.isdecimal():
        return float(wait)
    try:
        return max(0.0, email.utils.parsedate_to_datetime(wait).timestamp() - time.time())
    except (TypeError, ValueError):
        return None


def canonical(value):
    """Returns the canonical text of a JSON value (RFC 8785), the input of digests."""
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be", "surrogatepass"))
        return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(canonical, value)) + "]"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return _number(value)
    return json.dumps(value, ensure_ascii=False)


def _number(value):
    """Formats a number as JavaScript does: the shortest digits of the same double, with an exponent below 1e-6 and from 1e21 on."""
    text = repr(abs(float(value)))
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    point = len(digits) - len(fraction) + int(exponent or 0)
    digits = digits.rstrip("0")
    if not digits:
        return "0"
    sign = "-" if value < 0 else ""
    if len(digits) <= point <= 21:
        return sign + digits.ljust(point, "0")
    if 0 < point <= 21:
        return f"{sign}{digits[:point]}.{digits[point:]}"
    if -6 < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    return f"{sign}{digits[0]}{'.' if digits[1:] else ''}{digits[1:]}e{point - 1:+d}"


def record_digest(resource, record_id, data):
    """Returns the SHA-256 of one record as a number; `data` is its canonical JSON. The digest of a resource is their sum modulo 2**256."""
    return int.from_bytes(hashlib.sha256(f"{resource}\n{record_id}\n{data}".encode()).digest(), "big")


# Generated by `npm run docs:mirror`. Do not edit down to the end mark.
_COLUMNS = {
    "jurisdictions": "id=id slug=slug name=name level=level kind=kind county_slugs=countySlugs timezone=timezone population=population geoid=geoid active=active official_website_url=officialWebsiteUrl created_at=createdAt updated_at=updatedAt",
    "public_bodies": "id=id jurisdiction_id=jurisdictionId slug=slug name=name body_type=bodyType acting_body_role=actingBodyRole timezone=timezone active=active created_at=createdAt updated_at=updatedAt",
    "sources": "id=id jurisdiction_id=jurisdictionId public_body_id=publicBodyId source_type=sourceType source_type_label=sourceTypeLabel official_source_url=officialSourceUrl active=active status=status agenda_text_evidence=agendaTextEvidence last_checked_at=lastCheckedAt last_successful_check_at=lastSuccessfulCheckAt consecutive_failures=consecutiveFailures last_check_skipped=lastCheckSkipped last_check_skipped_shared=lastCheckSkippedShared last_check_degraded=lastCheckDegraded last_check_failure=lastCheckFailure reading_version=readingVersion created_at=createdAt updated_at=updatedAt",
    "topics": "id=id slug=slug name=name public_label=publicLabel description=description keywords=keywords negative_keywords=negativeKeywords selectable=selectable classification_active=classificationActive taxonomy_managed=taxonomyManaged created_at=createdAt updated_at=updatedAt",
    "meetings": "id=id public_body_id=publicBodyId source_id=sourceId source_record_id=sourceRecordId title=title starts_at=startsAt start_time=startTime timezone=timezone location=location comment=comment status=status source_url=sourceUrl created_at=createdAt updated_at=updatedAt",
    "agendas": "id=id meeting_id=meetingId document_id=documentId stage=stage published_at=publishedAt item_count=itemCount text_evidence=textEvidence source_url=sourceUrl created_at=createdAt updated_at=updatedAt",
    "agenda_items": "id=id meeting_id=meetingId agenda_id=agendaId source_record_id=sourceRecordId sequence=sequence agenda_number=agendaNumber title=title text=text matter_file=matterFile matter_type=matterType matter_name=matterName matter_status=matterStatus action_text=actionText outcome=outcome actions=actions kind=kind section=section votes=votes amounts=amounts parties=parties places=places districts=districts case_numbers=caseNumbers facts_version=factsVersion source_url=sourceUrl created_at=createdAt updated_at=updatedAt",
    "agenda_hits": "id=id agenda_item_id=agendaItemId topic_id=topicId summary=summary business_impact=businessImpact evidence_quote=evidenceQuote confidence=confidence affected_location=affectedLocation procedural_context=proceduralContext classified_at=classifiedAt classifier=classifier created_at=createdAt updated_at=updatedAt",
    "documents": "id=id meeting_id=meetingId agenda_item_id=agendaItemId kind=kind title=title url=url media_type=mediaType bytes=bytes sha256=sha256 text_evidence=textEvidence created_at=createdAt updated_at=updatedAt",
    "record_streams": "id=id jurisdiction_id=jurisdictionId source_id=sourceId family=family name=name description=description official_source_url=officialSourceUrl active=active created_at=createdAt updated_at=updatedAt",
    "stream_records": "id=id record_stream_id=recordStreamId source_record_id=sourceRecordId record_date=recordDate title=title summary=summary status=status address=address source_url=sourceUrl attributes=attributes created_at=createdAt updated_at=updatedAt",
}
_SPENDING = """with amounts as (
      select i.id, json_extract(f.value, '$.role') as role, json_extract(f.value, '$.currency') as currency, cast(json_extract(f.value, '$.value') as numeric) as amount,
        case json_extract(f.value, '$.role') when 'change' then 1 when 'not_to_exceed' then 2 when 'total' then 3 else 4 end
          + case json_extract(f.value, '$.field') when 'title' then 0 else 4 end as place
      from agenda_items i cross join json_each(i.amounts) f where json_extract(f.value, '$.role') <> 'per_unit'
    ), first_amounts as (
      select id, min(place) as place from amounts group by id
    ), one_amount as (
      select a.id, min(a.role) as role, min(a.currency) as currency, max(a.amount) as amount
      from (select distinct id, place, role, currency, amount from amounts) a
        join first_amounts f on f.id = a.id and f.place = a.place
      group by a.id having min(a.currency) = max(a.currency) and (count(*) = 1 or abs(sum(a.amount) - 2 * max(a.amount)) < 0.005)
    ), one_vendor as (
      select i.id, min(json_extract(f.value, '$.name')) as vendor
      from agenda_items i cross join json_each(i.parties) f where json_extract(f.value, '$.role') = 'vendor'
      group by i.id having count(distinct lower(json_extract(f.value, '$.name'))) = 1
    ), approved as (
      select i.id, b.name as body, date(datetime(m.starts_at, case m.timezone when 'America/New_York' then '-5 hours' when 'America/Chicago' then '-6 hours' when 'America/Denver' then '-7 hours' when 'America/Phoenix' then '-7 hours' when 'America/Los_Angeles' then '-8 hours' when 'America/Anchorage' then '-9 hours' when 'Pacific/Honolulu' then '-10 hours' end), case when m.timezone not in ('America/Phoenix', 'Pacific/Honolulu')
          and datetime(m.starts_at, case m.timezone when 'America/New_York' then '-5 hours' when 'America/Chicago' then '-6 hours' when 'America/Denver' then '-7 hours' when 'America/Phoenix' then '-7 hours' when 'America/Los_Angeles' then '-8 hours' when 'America/Anchorage' then '-9 hours' when 'Pacific/Honolulu' then '-10 hours' end) >= datetime(strftime('%Y-03-08', datetime(m.starts_at, case m.timezone when 'America/New_York' then '-5 hours' when 'America/Chicago' then '-6 hours' when 'America/Denver' then '-7 hours' when 'America/Phoenix' then '-7 hours' when 'America/Los_Angeles' then '-8 hours' when 'America/Anchorage' then '-9 hours' when 'Pacific/Honolulu' then '-10 hours' end)), 'weekday 0', '+2 hours')
          and datetime(m.starts_at, case m.timezone when 'America/New_York' then '-5 hours' when 'America/Chicago' then '-6 hours' when 'America/Denver' then '-7 hours' when 'America/Phoenix' then '-7 hours' when 'America/Los_Angeles' then '-8 hours' when 'America/Anchorage' then '-9 hours' when 'Pacific/Honolulu' then '-10 hours' end) < datetime(strftime('%Y-11-01', datetime(m.starts_at, case m.timezone when 'America/New_York' then '-5 hours' when 'America/Chicago' then '-6 hours' when 'America/Denver' then '-7 hours' when 'America/Phoenix' then '-7 hours' when 'America/Los_Angeles' then '-8 hours' when 'America/Anchorage' then '-9 hours' when 'Pacific/Honolulu' then '-10 hours' end)), 'weekday 0', '+1 hours') then '+1 hours' else '+0 hours' end) as day, j.name as jurisdiction, j.slug as jurisdiction_slug,
        i.title, i.matter_file, i.source_url, i.meeting_id,
        row_number() over (partition by j.id, coalesce(i.matter_file, cast(i.id as text)) order by m.starts_at desc, i.sequence desc, i.id) as nth
      from agenda_items i join meetings m on m.id = i.meeting_id join public_bodies b on b.id = m.public_body_id
        join jurisdictions j on j.id = b.jurisdiction_id
      where i.outcome = 'approved' and b.acting_body_role <> 'recommending' and m.status not in ('cancelled', 'postponed')
    )
    select v.vendor, a.amount, a.role, p.body, p.day, a.currency, p.jurisdiction, p.jurisdiction_slug, p.title, p.matter_file, p.source_url,
      p.id as agenda_item_id, p.meeting_id
    from approved p join one_amount a on a.id = p.id join one_vendor v on v.id = p.id
    where p.nth = 1 and a.role <> 'revenue'
    order by p.day desc, a.amount desc, p.id"""
# End of the generated part.


def _mirror_views():
    """Returns the views of a mirror by name: one for each resource, with a column for each field, and what governments approved to pay."""
    views = {}
    for table, fields in _COLUMNS.items():
        pairs = (pair.split("=") for pair in fields.split())
        columns = ", ".join(f"json_extract(data, '$.{field}') as {column}" for column, field in pairs)
        views[table] = f"create view {table} as select {columns}, data from records where resource = '{table}'"
    return {**views, "spending": f"create view spending as {_SPENDING}"}


class Mirror:
    """A copy in a SQLite file: the table `records` (resource, id, data as JSON), a view for each resource, and the view `spending`.

    Any process may read it at any time; one at a time may write it.
    """

    def __init__(self, path):
        self._database = sqlite3.connect(path, isolation_level=None)
        try:
            self._open(path)
        except BaseException:
            self._database.close()
            raise

    def _open(self, path):
        execute = self._database.execute
        tables = {name for (name,) in execute("select name from sqlite_master where type = 'table'")}
        if tables and "civic_python_replica" not in tables:
            raise ValueError(f"{path} has tables and is no mirror of this program: give a file of its own")
        for pragma in ("busy_timeout = 10000", "secure_delete = on", "journal_mode = wal"):
            execute(f"pragma {pragma}")
        with self._transaction():
            columns = "resource text not null, id text not null, data text not null, primary key (resource, id)"
            for table in ("records", "records_fresh"):
                execute(f"create table if not exists {table} ({columns})")
            execute("create table if not exists civic_python_replica (cursor text not null, resource text)")
            execute("create table if not exists civic_python_copy (progress text not null)")
            existing = dict(execute("select name, sql from sqlite_master where type = 'view'").fetchall())
            for name, statement in _mirror_views().items():
                if existing.get(name) != statement.replace("create view", "CREATE VIEW", 1):
                    execute(f"drop view if exists {name}")
                    execute(statement)

    def _transaction(self):
        return _Transaction(self._database)

    def records(self, resource=None):
        """Yields (resource, id, data as canonical JSON) of each record."""
        return self._database.execute("select resource, id, data from records where ? is null or resource = ?", (resource, resource))

    def synchronise(self, civic, resource=None, new_snapshot=False):
        """Takes a snapshot if there is no copy, if its cursor has expired, or on request, then reads the changes.

        Each page is one transaction, so that an interrupted copy of a snapshot continues.
        """
        state = self._database.execute("select cursor, resource from civic_python_replica").fetchone()
        copy = self._begun_copy()
        stored = copy["resource"] if copy else state[1] if state else resource
        if not new_snapshot and stored != resource:
            stored, wanted = stored or "every resource", resource or "every resource"
            raise ValueError(f"the mirror holds {stored}, not {wanted}: give another file or the same resource, or replace it with --new-snapshot")
        try:
            fresh = new_snapshot or copy is not None or state is None
            return self._follow(civic, self._copy(civic, resource, new_snapshot) if fresh else state[0], resource)
        except CivicError as error:
            if error.code != "cursor_expired":
                raise
            return self._follow(civic, self._copy(civic, resource, new_snapshot=True), resource)

    def _begun_copy(self):
        row = self._database.execute("select progress from civic_python_copy").fetchone()
        return json.loads(row[0]) if row else None

    def _store_copy(self, copy):
        self._database.execute("delete from civic_python_copy")
        self._database.execute("insert into civic_python_copy values (?)", (json.dumps(copy),))

    def _copy(self, civic, resource, new_snapshot):
        """Copies a snapshot, or continues its copy. Readers see the former records until the new ones equal their digests."""
        copy = None if new_snapshot else self._begun_copy()
        if copy is not None:
            try:
                return self._copy_pages(civic, copy)
            except CivicError as error:
                if error.status not in (404, 410):
                    raise
        return self._copy_pages(civic, self._begin_copy(civic, resource))

    def _begin_copy(self, civic, resource):
        snapshot = civic.take_snapshot()
        if resource and resource not in snapshot["counts"]:
            raise ValueError(f"the service has no resource {resource!r}: name one of {', '.join(snapshot['counts'])}")
        names = [resource] if resource else list(snapshot["counts"])
        copy = {"snapshot": snapshot, "resource": resource, "left": names, "cursor": None, "total": 0}
        with self._transaction():
            self._database.execute("delete from records_fresh")
            self._database.execute("pragma user_version = 1")
            self._store_copy(copy)
        return copy

    def _copy_pages(self, civic, copy):
        execute, snapshot = self._database.execute, copy["snapshot"]
        while copy["left"]:
            name = copy["left"][0]
            expected = snapshot["digests"][name]
            for page in civic.snapshot_pages(snapshot["snapshotId"], name, cursor=copy["cursor"]):
                # The digest of the pages differs after an erasure.
                expected = page["meta"].get("digest", expected)
                rows = [(name, record["id"], canonical(record)) for record in page["data"]["items"]]
                total = (copy["total"] + sum(record_digest(*row) for row in rows)) % _MODULUS
                if page["meta"].get("hasMore"):
                    copy = {**copy, "cursor": page["meta"]["nextCursor"], "total": total}
                elif f"{total:064x}" != expected:
                    with self._transaction():
                        execute("delete from civic_python_copy")
                        execute("delete from records_fresh")
                    raise CivicError("unknown", f"the {name} of the snapshot do not equal their digest; the mirror is unchanged")
                else:
                    copy = {**copy, "left": copy["left"][1:], "cursor": None, "total": 0}
                with self._transaction():
                    self._database.executemany("insert or replace into records_fresh values (?, ?, ?)", rows)
                    self._store_copy(copy)
        with self._transaction():
            execute("delete from records")
            execute("insert into records select resource, id, data from records_fresh")
            execute("delete from records_fresh")
            execute("delete from civic_python_copy")
            execute("pragma user_version = 1")
            self._store(snapshot["boundaryCursor"], copy["resource"])
        return snapshot["boundaryCursor"]

    def _follow(self, civic, cursor, resource):
        for page in civic.change_pages(cursor, resource):
            with self._transaction():
                for item in page["data"]["items"]:
                    name = (item["resource"], item["recordId"])
                    if item["operation"] == "remove":
                        self._database.execute("delete from records where resource = ? and id = ?", name)
                    else:
                        self._database.execute("insert or replace into records values (?, ?, ?)", (*name, canonical(item["data"])))
                if page["data"]["items"]:
                    self._database.execute("pragma user_version = 1")
                self._store(page["meta"]["nextCursor"], resource)
            cursor = page["meta"]["nextCursor"]
        self._tidy()
        return cursor

    def _tidy(self):
        """Rewrites the file after changes: its pages can contain erased texts of rows that moved.

        A program that was killed before has left the number in `user_version`. The log of writes has such texts, too.
        """
        execute = self._database.execute
        if execute("pragma user_version").fetchone() == (1,):
            execute("vacuum")
            execute("pragma user_version = 0")
        execute("pragma wal_checkpoint(truncate)").fetchall()

    def _store(self, cursor, resource):
        self._database.execute("delete from civic_python_replica")
        self._database.execute("insert into civic_python_replica values (?, ?)", (cursor, resource))

    def verify(self, civic, resource=None, tries=10):
        """Compares the copy with the digests of the service, and reads further changes if the feed has moved.

        Raises `ValueError`, which names the first record that differs and the remedy.
        """
        cursor = self.synchronise(civic, resource)
        for _ in range(tries):
            head = civic.feed_head()
            totals = dict.fromkeys([resource] if resource else head["digests"], 0)
            for name, record_id, data in self.records(resource):
                totals[name] = (totals.get(name, 0) + record_digest(name, record_id, data)) % _MODULUS
            different = [name for name, total in totals.items() if f"{total:064x}" != head["digests"].get(name)]
            if not different:
                return
            moved = self.synchronise(civic, resource)
            if moved == cursor:
                first = self._first_difference(civic, different[0], resource, cursor)
                record = f"; the first record of {different[0]} that differs: {first}" if first else ""
                remedy = "run the same command with --new-snapshot to replace what differs"
                raise ValueError(f"the mirror differs from the service in {', '.join(different)}{record}; {remedy}")
            cursor = moved
        raise ValueError(f"the service changed {tries} times while the mirror was compared; compare at a quieter time")

    def _first_difference(self, civic, name, resource, cursor):
        """Describes the first record of a new snapshot that differs from the mirror at `cursor`. Returns None if the service has changed since."""
        snapshot = civic.take_snapshot()
        if self.synchronise(civic, resource) != cursor:
            return None
        own = {record_id: data for _, record_id, data in self.records(name)}
        for record in civic.snapshot_records(snapshot["snapshotId"], name):
            data = own.pop(record["id"], None)
            if data is None:
                return f"{record['id']} is missing in the mirror"
            if data != canonical(record):
                mine = json.loads(data)
                fields = [field for field in sorted({*mine, *record}) if canonical(mine.get(field)) != canonical(record.get(field))]
                return f"{record['id']} differs in {', '.join(fields)}"
        return next((f"{record_id} is not at the service" for record_id in own), None)

    def close(self):
        self._database.close()


class _Transaction:
    def __init__(self, database):
        self._database = database

    def __enter__(self):
        self._database.execute("begin immediate")

    def __exit__(self, kind, *_):
        if kind is None:
            self._database.execute("commit")
        elif self._database.in_transaction:  # SQLite ends it itself if the disk is full
            self._database.execute("rollback")


def replicate(civic, path, resource=None, new_snapshot=False):
    """Brings the copy in the SQLite file at `path` to the head of the feed and compares it with the service. Returns the number of records."""
    mirror = Mirror(path)
    try:
        mirror.synchronise(civic, resource, new_snapshot)
        mirror.verify(civic, resource)
        return sum(1 for _ in mirror.records(resource))
    finally:
        mirror.close()


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="civic_records.py", description="Client of the Civic Records Service.")
    command = parser.add_subparsers(dest="command", required=True).add_parser(
        "replicate", help="keep a copy in a SQLite file, and compare it with the service"
    )
    command.add_argument("--to", required=True, metavar="FILE", help="the SQLite file, also as sqlite:FILE; a later run continues")
    command.add_argument("--base-url", required=True, metavar="URL", help="address of the service")
    key_help = "file that holds an API key with civic:read and civic:export (default: the variable CIVIC_API_KEY)"
    command.add_argument("--key-file", metavar="FILE", help=key_help)
    command.add_argument("--resource", metavar="NAME", help="one resource, such as meetings (default: every resource)")
    command.add_argument("--verify", action="store_true", help="as with civic-replicate; this program always compares")
    command.add_argument("--new-snapshot", action="store_true", help="start from a new snapshot even if the copy could continue")
    given = parser.parse_args(arguments)
    try:
        civic = Civic(given.base_url, _key(given.key_file), on_retry=_say_retry)
        count = replicate(civic, given.to.removeprefix("sqlite:"), given.resource, given.new_snapshot)
    except (KeyError, TypeError, AttributeError, RecursionError) as error:
        _print_error(f"an answer of the service has another form than the interface describes ({error!r})")
        return 1
    except sqlite3.Error as error:
        _print_error(f"the SQLite file {given.to} cannot be used: {error}")
        return 1
    except (CivicError, ValueError, OSError) as error:
        _print_error(str(error))
        return 1
    except KeyboardInterrupt:
        return 130
    print(f"{given.to}: {count} records, equal to the service")
    return 0


def _key(path):
    if path is not None:
        with open(path, encoding="utf-8") as file:
            return file.read().strip()
    if not os.environ.get("CIVIC_API_KEY"):
        raise ValueError("an API key is needed: set CIVIC_API_KEY, or name a file with --key-file")
    return os.environ["CIVIC_API_KEY"].strip()


def visible(text):
    """Returns the text on one line with every invisible character escaped: a text of a server must not control the terminal."""
    invisible = ("Cc", "Cf", "Zl", "Zp", "Cs")
    return "".join(f"\\u{ord(each):04x}" if unicodedata.category(each) in invisible else each for each in text)


def _print_error(text):
    print(f"civic_records.py: {visible(text)}", file=sys.stderr)


def _say_retry(error, pause):
    _print_error(f"{error}; trying again in {pause:.0f} s")


if __name__ == "__main__":
    sys.exit(main())
