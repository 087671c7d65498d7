import type { ComponentChildren } from 'preact';
import { Icon, type IconName } from './icon.tsx';

export type Tone = 'quiet' | 'info' | 'good' | 'warning' | 'bad' | 'ask';

const ICONS: Record<Tone, IconName> = {
  quiet: 'idle',
  info: 'running',
  good: 'completed',
  warning: 'warning',
  bad: 'failed',
  ask: 'asking',
};

/** A state as text with a shape; the colour is only an addition. */
export function Badge(props: { tone?: Tone; icon?: IconName; children: ComponentChildren }) {
  const tone = props.tone ?? 'quiet';
  return (
    <span class={`status tone-${tone}`}>
      <Icon name={props.icon ?? ICONS[tone]} size={14} />
      {props.children}
    </span>
  );
}
