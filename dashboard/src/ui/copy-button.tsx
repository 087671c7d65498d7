import { useEffect, useState } from 'preact/hooks';
import { Button } from './button.tsx';

const CONFIRMED_MS = 1_600;

/** Copies a text and confirms it briefly; where the browser refuses, the text can be selected. */
export function CopyButton({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [state, setState] = useState<'idle' | 'copied' | 'refused'>('idle');
  useEffect(() => {
    if (state === 'idle') return;
    const timer = setTimeout(() => setState('idle'), CONFIRMED_MS);
    return () => clearTimeout(timer);
  }, [state]);
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => setState('copied'),
      () => setState('refused'),
    );
  return (
    <Button
      icon={state === 'copied' ? 'check' : 'copy'}
      small
      onClick={() => void copy()}
      aria-live="polite"
    >
      {state === 'copied' ? 'Copied' : state === 'refused' ? 'Copy failed' : label}
    </Button>
  );
}
