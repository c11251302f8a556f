"""`{% say "key" name=value %}`: the words of a page in the reader's language."""

from django import template
from django.utils.translation import get_language

from console.web.messages import say as words_of

register = template.Library()


@register.simple_tag
def say(key: str, **values: object) -> str:
    return words_of(key, get_language() or "en", **values)
