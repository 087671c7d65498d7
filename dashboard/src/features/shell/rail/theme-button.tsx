import { useState } from 'preact/hooks';
import { Icon } from '../../../ui/marks/icon.tsx';
import { applyTheme, nextTheme, readTheme } from '../../../ui/layout/theme.ts';

const ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

export function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const choose = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={`Theme: ${theme}. Change theme`}
      title={`Theme: ${theme}`}
      onClick={choose}
    >
      <Icon name={ICONS[theme]} />
    </button>
  );
}
