"""The words of the pages that Django renders, in both languages; a missing one fails a test."""

from __future__ import annotations

MESSAGES: dict[str, dict[str, str]] = {
    "en": {
        "sign-in": "Sign in",
        "sign-in.lead": "Sign in to browse and maintain your Paimon tables.",
        "username": "User name",
        "password": "Password",
        "password.again": "Password, again",
        "sign-in.wrong": "User name and password do not fit together.",
        "sign-in.locked": "Too many failures. Try again after {seconds} s.",
        "set-up": "Set up Lakescope",
        "set-up.lead": "This link makes you the administrator. It works once.",
        "invite": "Choose your password",
        "invite.lead": "This link is for {username}. It works once.",
        "set-up.submit": "Create the administrator",
        "invite.submit": "Set the password",
        "set-up.gone": "This link was used or has expired.",
        "set-up.gone.lead": "Start the console again to get a new one, or ask an administrator.",
        "password.differs": "The two passwords differ.",
        "username.bad": "Letters, digits and @ . + - _ only; at most 150.",
        "username.taken": "This name is taken.",
        "password.rules": "At least 12 characters, not only digits, and none that everybody uses.",
        "csrf": "The page was open for too long",
        "csrf.lead": "Go back, reload it and try again.",
        "unbuilt": "The pages are not built yet",
        "unbuilt.lead": "Build the frontend (npm run build in frontend/) and start again. The API works.",
        "noscript": "Lakescope needs JavaScript.",
        "language": "中文",
    },
    "zh-hans": {
        "sign-in": "登录",
        "sign-in.lead": "登录以浏览和维护您的 Paimon 表。",
        "username": "用户名",
        "password": "密码",
        "password.again": "再次输入密码",
        "sign-in.wrong": "用户名与密码不匹配。",
        "sign-in.locked": "失败次数过多，请在 {seconds} 秒后重试。",
        "set-up": "设置 Lakescope",
        "set-up.lead": "此链接将使您成为管理员，仅可使用一次。",
        "invite": "设置您的密码",
        "invite.lead": "此链接供 {username} 使用，仅可使用一次。",
        "set-up.submit": "创建管理员",
        "invite.submit": "设置密码",
        "set-up.gone": "此链接已使用或已过期。",
        "set-up.gone.lead": "重新启动控制台以获取新链接，或联系管理员。",
        "password.differs": "两次输入的密码不一致。",
        "username.bad": "仅限字母、数字和 @ . + - _，最多 150 个字符。",
        "username.taken": "该用户名已被使用。",
        "password.rules": "至少 12 个字符，不能全为数字，也不能是常用密码。",
        "csrf": "页面打开时间过长",
        "csrf.lead": "请返回、重新加载后再试。",
        "unbuilt": "页面尚未构建",
        "unbuilt.lead": "请构建前端（在 frontend/ 中运行 npm run build）后重新启动。API 可正常使用。",
        "noscript": "Lakescope 需要 JavaScript。",
        "language": "English",
    },
}


def say(key: str, language: str, **values: object) -> str:
    """The words of `key` in a language."""
    return MESSAGES["zh-hans" if language.startswith("zh") else "en"][key].format(**values)
