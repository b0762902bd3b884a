"""What stands before every handler: bodies of a decent size, and a page that loads nothing from elsewhere."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hamex.studio import limits

# Styles are set by our own scripts and by plotly; nothing is ever loaded from elsewhere.
_HEADERS = {
    b"content-security-policy": b"default-src 'self'; img-src 'self' data: blob:; style-src 'self' 'unsafe-inline'; "
                                b"object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    b"x-content-type-options": b"nosniff",
    b"referrer-policy": b"no-referrer",
}


_TOO_LARGE = f"a request may have {limits.BODY / 1e6:g} MB at most"


class Guard:
    """Refuses bodies beyond :data:`limits.BODY` while they arrive, and adds the headers of a closed page."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > limits.BODY:
                raise HTTPException(413, _TOO_LARGE)
            return message

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", []), *_HEADERS.items()]
            await send(message)

        told = dict(scope["headers"]).get(b"content-length", b"0")
        if told.isdigit() and int(told) > limits.BODY:
            await JSONResponse({"message": _TOO_LARGE, "field": None}, 413)(scope, receive, with_headers)
            return
        await self.app(scope, counted, with_headers)
