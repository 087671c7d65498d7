/** What stands around the explorer, and shows while its document is on the way. */
export const PAGE_COLOURS = `body,
openapi-explorer {
  color: var(--ink);
  background: var(--surface);
}`;

/**
 * The explorer's colours from the dashboard's tokens, for both schemes. They are given to what is
 * inside: from its own element the explorer reads some of them and knows no light-dark().
 */
export const COLOURS = `.body,
.dialog-box-overlay {
  --bg: var(--surface);
  --bg2: var(--sunken);
  --bg3: var(--hover);
  --light-bg: var(--line-strong);
  --input-bg: var(--raised);
  --hover-color: var(--hover);
  --fg: var(--ink);
  --fg2: var(--ink-soft);
  --fg3: var(--ink-soft);
  --light-fg: var(--ink-quiet);
  --placeholder-color: var(--ink-quiet);
  --border-color: var(--line-strong);
  --light-border-color: var(--line);
  --code-border-color: var(--line);
  --primary-color: var(--accent-fill);
  --primary-btn-text-color: var(--on-accent);
  --secondary-color: var(--accent);
  --nav-bg-color: var(--ground);
  --nav-text-color: var(--ink-soft);
  --nav-hover-bg-color: var(--hover);
  --nav-hover-text-color: var(--ink);
  --nav-hover-scrollbar-color: var(--line-strong);
  --code-fg: var(--ink-soft);
  --inline-code-fg: var(--ink);
  --code-property-color: var(--ask);
  --code-keyword-color: var(--run);
  --code-operator-color: var(--warn);
  --selection-bg: var(--accent-fill);
  --selection-fg: var(--on-accent);
  --blue: var(--run);
  --green: var(--good);
  --orange: var(--warn);
  --yellow: var(--warn);
  --red: var(--bad);
  --purple: var(--ask);
  --pink: var(--ask);
  --gray: var(--wait);
  --light-blue: color-mix(in oklab, var(--run) 10%, var(--surface));
  --light-green: color-mix(in oklab, var(--good) 10%, var(--surface));
  --light-orange: color-mix(in oklab, var(--warn) 10%, var(--surface));
  --light-yellow: color-mix(in oklab, var(--warn) 10%, var(--surface));
  --light-red: color-mix(in oklab, var(--bad) 10%, var(--surface));
  --light-purple: color-mix(in oklab, var(--ask) 10%, var(--surface));
  --light-gray: color-mix(in oklab, var(--wait) 10%, var(--surface));
  color: var(--fg);
}

.nav-bar {
  border-right: 1px solid var(--line);
}

.nav-bar.focused,
.nav-scroll {
  border-top-color: var(--line);
}

.m-btn.primary:is(:hover, :focus-visible) {
  border-color: var(--ink);
  color: var(--on-accent);
}

:focus-visible {
  outline: 2px solid var(--accent);
  outline-offset: 1px;
}`;
