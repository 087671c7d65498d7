import { useState } from 'preact/hooks';
import { applyTheme, nextTheme, readTheme } from '../../../ui/layout/theme.ts';
import { IconButton } from '../../../ui/icon-button.tsx';

const ICONS = { system: 'system', light: 'sun', dark: 'moon' } as const;

export function ThemeButton() {
  const [theme, setTheme] = useState(readTheme);
  const choose = () => {
    const next = nextTheme(theme);
    applyTheme(next);
    setTheme(next);
  };
  return (
    <IconButton
      icon={ICONS[theme]}
      label={`Theme: ${theme}. Change theme`}
      title={`Theme: ${theme}`}
      onClick={choose}
    />
  );
}
