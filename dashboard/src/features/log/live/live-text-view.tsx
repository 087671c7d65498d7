import { useLayoutEffect } from 'preact/hooks';
import { Icon, type IconName } from '../../../ui/marks/icon.tsx';
import type { LiveItem } from './live-text.ts';
import { TextBlock } from '../text/text-block.tsx';
import { useLiveText } from './use-live-text.ts';
import './live-text.css';

const LOOKS: Record<string, { icon: IconName; label: string }> = {
  message: { icon: 'message', label: 'Writing' },
  reasoning: { icon: 'thought', label: 'Thinking' },
  output: { icon: 'command', label: 'Printing' },
};

type LiveTextViewProps = {
  attemptId: string;
  shown: boolean;
  /** Called when the text became longer or shorter. */
  onChange: () => void;
};

/**
 * The text that is being written, below the log; it becomes a row of the log when it is complete.
 */
export function LiveTextView({ attemptId, shown, onChange }: LiveTextViewProps) {
  const items = useLiveText(attemptId);
  useLayoutEffect(onChange, [items, shown, onChange]);
  if (!shown || items.size === 0) return null;
  return (
    <div class="live-text" aria-label="Live output" role="group">
      {[...items].map(([itemId, item]) => (
        <LiveItemView key={itemId} item={item} />
      ))}
    </div>
  );
}

function LiveItemView({ item }: { item: LiveItem }) {
  const { icon, label } = LOOKS[item.stream] ?? { icon: 'dot', label: 'Writing' };
  return (
    <div class="live-item">
      <p class="live-words">
        <Icon name={icon} size={14} /> {label}
      </p>
      {item.stream === 'output' ? (
        <TextBlock text={item.text} />
      ) : (
        <p class="live-prose wrap" dir="auto">
          {item.text}
        </p>
      )}
    </div>
  );
}
