"""Pages that Django renders: sign-in, set-up, and the shell of the single-page application."""
