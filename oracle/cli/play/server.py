"""The server of the page: its files, its menu, and the oracle's answers."""

from __future__ import annotations

import asyncio
import json
import os
import socket
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ....semantics.model.errors import DenotaError
from ....semantics.streams.tuples.reader import TEXT_FORMATS
from ...cases.case_reader import read_case
from ...engines.engine import EngineTimeout
from ...engines.worker_process import WorkerProcess, one_line
from ...explanations.svg import STYLE
from ...languages.registry import has, language, names, part_of
from .page_answers import ACTIONS, RDF_FORMATS, PageService, example_files, examples, state_of

PAGE = Path(__file__).with_name("page")
MAX_REQUEST = 1 << 20  # bytes
MAX_MEMORY = 2 << 30  # bytes that an evaluation may hold

_HEADERS = {
    # Nothing from the network, no script in the page's text; the drawings have styles of their own.
    "content-security-policy": "default-src 'none'; script-src 'self'; connect-src 'self'; "
    "style-src 'self' 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


class Guard:
    """Refuses requests that other pages make: by another host's name, or from another origin."""

    def __init__(self, app: ASGIApp, port: int) -> None:
        self.app = app
        self.hosts = {f"{name}:{port}" for name in ("127.0.0.1", "localhost")}
        if port == 80:
            self.hosts |= {"127.0.0.1", "localhost"}
        self.origins = {None, *(f"http://{host}" for host in self.hosts)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)
        if request.headers.get("host") not in self.hosts:
            await _refused("unknown Host: expected 127.0.0.1", 421)(scope, receive, send)
        elif request.headers.get("origin") not in self.origins:
            await _refused("the request is from another origin", 403)(scope, receive, send)
        else:
            await self.app(scope, receive, _with_headers(send))


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = [(name.encode(), value.encode()) for name, value in _HEADERS.items()]
            message = {**message, "headers": [*message["headers"], *own]}
        await send(message)

    return sending


def _refused(error: str, status: int) -> JSONResponse:
    return JSONResponse({"error": error}, status, headers=_HEADERS)


def application(port: int, time_limit: float) -> ASGIApp:
    """Return the ASGI application of the page on a port."""
    slots = asyncio.Semaphore(os.cpu_count() or 1)

    def answering(action: str) -> Callable[[Request], Awaitable[Response]]:
        async def endpoint(request: Request) -> Response:
            if request.headers.get("content-type", "").partition(";")[0] != "application/json":
                return _refused("expected application/json", 415)
            body = b""
            async for chunk in request.stream():
                body += chunk
                if len(body) > MAX_REQUEST:
                    return _refused(f"the request is longer than {MAX_REQUEST:,} bytes", 413)
            try:
                asked = json.loads(body)
            except (ValueError, RecursionError):
                return _refused("the request is not JSON", 400)
            async with slots:
                return await _answer(request, action, asked, time_limit)

        return endpoint

    routes = [
        Route("/", _file("index.html")),
        *(Route(f"/{name}", _file(name)) for name in ("page.js", "page.css")),
        Route("/timeline.css", lambda request: Response(STYLE, media_type="text/css")),
        Route("/menu", _menu),
        Route("/examples/{name:path}", _example),
        *(Route(f"/{action}", answering(action), methods=["POST"]) for action in ACTIONS),
    ]
    return Guard(Starlette(routes=routes), port)


def _file(name: str) -> Callable[[Request], Response]:
    return lambda request: FileResponse(PAGE / name)


def _menu(request: Request) -> Response:
    languages = []
    for name in names():
        own: Any = language(name)
        tuples = own.items == "tuples"
        languages.append({
            "name": name, "title": own.title, "tuples": tuples,
            "readings": own.readings_type.choices(),
            "formats": TEXT_FORMATS if tuples else RDF_FORMATS,
            "changing": own.changing_background, "evaluate": sorted(own.evaluation_fields),
        })
    return JSONResponse({"languages": languages, "examples": examples()})


def _example(request: Request) -> Response:
    path = example_files().get(request.path_params["name"])
    if path is None:
        return _refused("there is no such example", 404)
    return JSONResponse(state_of(read_case(path)))


async def _answer(request: Request, action: str, asked: Any, time_limit: float) -> Response:
    """Return the answer of an isolated process, ended at the time limit or on disconnection."""
    _load(asked)
    try:
        process = WorkerProcess(PageService)
        try:
            process.send([(action, asked, time_limit)])
            while (reply := process.poll()) is None:
                if await request.is_disconnected():
                    return Response(status_code=499)
                if process.held() > MAX_MEMORY:
                    return _refused(f"ended: it held more than {MAX_MEMORY >> 30} GiB", 503)
                await _readable(process, process.wait())
        finally:
            process.end()
    except EngineTimeout:
        return _refused(f"ended after the time limit of {time_limit:g} s (--time-limit)", 504)
    except DenotaError as error:
        return JSONResponse(
            {"error": str(error), "source": error.source, "line": error.line,
             "column": error.column}, 422, headers=_HEADERS,
        )
    except Exception as error:
        return _refused(f"{type(error).__name__}: {one_line(error)}", 500)
    return JSONResponse(reply[0])


def _load(asked: Any) -> None:
    """Import what the language needs here, once, not in each process."""
    state = asked.get("state") if isinstance(asked, dict) else None
    name = state.get("language") if isinstance(state, dict) else None
    if name in names():
        language(name).load()
        for part in ("explain", "draw", "distinguish"):
            if has(name, part):
                part_of(name, part)


async def _readable(process: WorkerProcess, seconds: float) -> None:
    """Wait until the process has answered, but no longer than `seconds`."""
    loop, answered = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(process.fileno(), answered.set)
    try:
        with suppress(TimeoutError):
            await asyncio.wait_for(answered.wait(), seconds)
    finally:
        loop.remove_reader(process.fileno())


def listen(port: int) -> socket.socket:
    """Return a socket that listens on a port of 127.0.0.1; raises DenotaError if it is taken."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        raise DenotaError(f"--port {port}: {error.strerror or error}") from None


def serve(listener: socket.socket, time_limit: float) -> None:
    """Serve the page until an interrupt."""
    config = uvicorn.Config(
        application(listener.getsockname()[1], time_limit), log_level="warning", access_log=False,
        lifespan="off", ws="none", proxy_headers=False, server_header=False,
        timeout_graceful_shutdown=1,
    )
    with suppress(KeyboardInterrupt):
        uvicorn.Server(config).run([listener])
