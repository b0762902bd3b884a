"""The files of the page, by name."""

from __future__ import annotations

from fastapi import APIRouter, Request
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from hamex.studio.assets import Asset, assets

router = APIRouter(include_in_schema=False)


@router.get("/")
def index(request: Request) -> Response:
    return _sent(assets()["index.html"], request)


@router.get("/page/{name}")
def file(name: str, request: Request) -> Response:
    found = assets().get(name)          # a key of a dictionary, never a path
    if found is None:
        raise HTTPException(404, "there is no such file")
    return _sent(found, request)


def _sent(asset: Asset, request: Request) -> Response:
    headers = {"etag": asset.tag, "cache-control": "no-cache", "vary": "accept-encoding"}
    if request.headers.get("if-none-match") == asset.tag:
        return Response(status_code=304, headers=headers)
    if "gzip" in request.headers.get("accept-encoding", ""):
        return Response(asset.packed, media_type=asset.type, headers={**headers, "content-encoding": "gzip"})
    return Response(asset.plain, media_type=asset.type, headers=headers)
