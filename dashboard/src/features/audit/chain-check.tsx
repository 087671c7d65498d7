import { useMutation } from '@tanstack/react-query';
import { plural } from '../../format/format-count.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/marks/icon.tsx';
import { Problem } from '../../ui/marks/problem.tsx';
import { verifyAudit } from './queries.ts';
import { Button } from '../../ui/button.tsx';

const PROBLEMS = {
  changed: 'was modified',
  missing: 'is missing',
  unsealed: 'has no seal',
  truncated: 'is where the log was truncated',
} as const;

/** Verifies the complete audit log against its seals, only on demand since it reads everything. */
export function ChainCheck() {
  const check = useMutation({ mutationFn: verifyAudit });
  return (
    <div class="chain-check panel">
      <Button icon="check" disabled={check.isPending} onClick={() => check.mutate()}>
        {check.isPending ? 'Verifying' : 'Verify chain'}
      </Button>
      <div class="grow" role="status">
        <Problem error={check.error} />
        {check.data === undefined ? (
          check.error === null && (
            <p class="quiet">Detects modified, removed and inserted entries.</p>
          )
        ) : (
          <Verdict result={check.data} />
        )}
      </div>
    </div>
  );
}

function Verdict({ result }: { result: Awaited<ReturnType<typeof verifyAudit>> }) {
  if (result.firstBroken !== null) {
    const { entry, problem } = result.firstBroken;
    return (
      <p class="problem">
        <Icon name="failed" size={14} /> Entry {entry} {PROBLEMS[problem]}. {result.verified}{' '}
        earlier entries are valid.
      </p>
    );
  }
  return (
    <>
      <p class="note good">
        <Icon name="completed" size={14} /> {plural(result.verified, 'entry', 'entries')} verified
        {result.unsealed > 0 && `, ${result.unsealed} not sealed yet`}.
      </p>
      {result.head !== null && (
        <p class="chain-head quiet">
          Latest seal <span class="mono wrap">{result.head.hash}</span>{' '}
          <CopyButton text={`${result.head.entry} ${result.head.hash}`} />
        </p>
      )}
    </>
  );
}
