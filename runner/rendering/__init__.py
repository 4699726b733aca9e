"""How a result is shown: terminal, Markdown, figures; nothing shown may steer a terminal or tell a secret."""
