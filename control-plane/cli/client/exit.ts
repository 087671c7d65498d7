/** Exit codes of every command. Source: docs/command-line.md. */
export const EXIT = { done: 0, failed: 1, usage: 2, notConfigured: 3, interrupted: 130 } as const;
