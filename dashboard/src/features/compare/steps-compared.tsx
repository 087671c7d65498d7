import type { Attempt } from '@switchyard/shared/api/work/attempt';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { attemptHistoryQuery } from '../../api/attempt-history.ts';
import { plural } from '../../format/format-count.ts';
import { QueryView } from '../../ui/data/query-view.tsx';
import { stepsOf } from './steps-of.ts';

/** The steps of two attempts side by side; steps that both have are muted. */
export function StepsCompared({ left, right }: { left: Attempt; right: Attempt }) {
  const steps = {
    left: useQuery({ ...attemptHistoryQuery(left), select: stepsOf }),
    right: useQuery({ ...attemptHistoryQuery(right), select: stepsOf }),
  };
  const texts = (side: 'left' | 'right') => new Set(steps[side].data?.map((step) => step.text));
  return (
    <div class="compare-steps">
      {(['left', 'right'] as const).map((side) => {
        const attempt = side === 'left' ? left : right;
        const others = texts(side === 'left' ? 'right' : 'left');
        return (
          <section key={side} class="panel" aria-label={`Steps of attempt ${attempt.number}`}>
            <h2>
              Attempt {attempt.number}
              <span class="count">{plural(steps[side].data?.length ?? 0, 'step')}</span>
            </h2>
            <QueryView query={steps[side]} skeletonLines={6}>
              {(list) => (
                <ol>
                  {list.map((step) => (
                    <li key={step.key} class={others.has(step.text) ? 'same' : ''}>
                      <Link
                        to="/issues/$id"
                        params={{ id: attempt.identifier }}
                        search={{ attempt: attempt.attemptId, line: step.key }}
                        className={step.failed ? 'failed' : ''}
                      >
                        {step.text}
                      </Link>
                    </li>
                  ))}
                </ol>
              )}
            </QueryView>
          </section>
        );
      })}
    </div>
  );
}
