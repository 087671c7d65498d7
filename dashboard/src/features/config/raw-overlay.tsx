import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'preact/hooks';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { showToast } from '../../ui/overlays/toasts.tsx';
import { changesBetween } from './value-at.ts';
import { configQuery, overlayQuery, replaceOverlay } from './queries.ts';
import { ReviewChanges } from './review-changes.tsx';
import { Button } from '../../ui/button.tsx';

/** The overlay as JSON, for people who prefer text; and the effective configuration. */
export function RawOverlay(props: {
  overlay: Record<string, unknown>;
  config: Record<string, unknown>;
}) {
  const client = useQueryClient();
  const stored = JSON.stringify(props.overlay, null, 2);
  const [text, setText] = useState<string | null>(null);
  const [reviewing, setReviewing] = useState(false);
  const shown = text ?? stored;
  const read = readOverlay(shown);
  const save = async () => {
    if (read.overlay === null) return;
    await replaceOverlay(read.overlay);
    setText(null);
    showToast('Overlay saved.');
    await client.invalidateQueries({ queryKey: configQuery.queryKey });
    await client.invalidateQueries({ queryKey: overlayQuery.queryKey });
  };
  return (
    <div class="raw-config">
      <label class="raw-side">
        <span class="side-name">Overlay: values set in the dashboard and the API</span>
        <textarea
          class="field mono"
          value={shown}
          spellcheck={false}
          aria-invalid={read.problem !== null}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      </label>
      <div class="raw-side">
        <span class="side-name">
          Effective configuration: base file, environment, overlay{' '}
          <CopyButton text={JSON.stringify(props.config, null, 2)} />
        </span>
        <pre class="raw-effective" tabIndex={0} aria-label="Effective configuration">
          {JSON.stringify(props.config, null, 2)}
        </pre>
      </div>
      <footer>
        <span class="grow" role="status">
          {read.problem === null ? (
            <span class="quiet">Leave [redacted] to keep a secret unchanged.</span>
          ) : (
            <span class="problem">
              <Icon name="warning" size={14} /> {read.problem}
            </span>
          )}
        </span>
        <Button disabled={text === null} onClick={() => setText(null)}>
          Undo
        </Button>
        <Button
          icon="compare"
          primary
          disabled={read.overlay === null || text === null}
          onClick={() => setReviewing(true)}
        >
          Review and save
        </Button>
      </footer>
      {reviewing && read.overlay !== null && (
        <ReviewChanges
          changes={changesBetween(props.overlay, read.overlay)}
          restarts={[]}
          save={save}
          onClose={() => setReviewing(false)}
        />
      )}
    </div>
  );
}

function readOverlay(
  text: string,
): { overlay: Record<string, unknown>; problem: null } | { overlay: null; problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { overlay: value as Record<string, unknown>, problem: null }
      : { overlay: null, problem: 'The overlay must be an object.' };
  } catch (error) {
    return {
      overlay: null,
      problem: error instanceof Error ? error.message : 'The overlay must be valid JSON.',
    };
  }
}
