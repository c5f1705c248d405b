"""What is sent to a model: messages of text and pictures, and their form in OpenAI's API."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Role = Literal["system", "user", "assistant"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message; its pictures come before its text.

    Attributes:
        role: who speaks.
        text: what is said.
        images: PNG files.
    """

    role: Role
    text: str
    images: tuple[bytes, ...] = ()

    def to_openai(self) -> dict[str, Any]:
        """The message as OpenAI-compatible servers take it; a plain string where there is no picture."""
        if not self.images:
            return {"role": self.role, "content": self.text}
        parts: list[dict[str, Any]] = [
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{base64_of(image)}"}}
            for image in self.images
        ]
        return {"role": self.role, "content": [*parts, {"type": "text", "text": self.text}]}

    def to_dict(self) -> dict[str, Any]:
        """JSON-safe fields; pictures in base64, so that a record holds what the model saw."""
        fields: dict[str, Any] = {"role": self.role, "text": self.text}
        return fields | {"images": [base64_of(image) for image in self.images]} if self.images else fields


def base64_of(data: bytes) -> str:
    """Base64 as ASCII text."""
    return base64.b64encode(data).decode("ascii")


def fingerprint(messages: Sequence[Message]) -> str:
    """SHA-256 (hex) of everything that is sent; a replay compares it with what was recorded."""
    digest = hashlib.sha256()
    for message in messages:
        for part in (message.role.encode(), message.text.encode("utf-8", "surrogatepass"), *message.images):
            digest.update(f"{len(part)}:".encode())
            digest.update(part)
        digest.update(b";")
    return digest.hexdigest()
