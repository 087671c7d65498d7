import type { SetupStep } from '@switchyard/shared/api/admin/setup';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../ui/marks/icon.tsx';
import type { Setup } from './queries.ts';
import { STEPS } from './steps.tsx';

/**
 * The main steps to a first pull request, and under "More" those with a default; any can be opened
 * at any time.
 */
export function StepList({ setup, shown }: { setup: Setup; shown: SetupStep }) {
  const main = setup.steps.filter(({ isMain }) => isMain);
  const more = setup.steps.filter(({ isMain }) => !isMain);
  const done = main.filter((step) => step.done).length;
  const progress = `${done} of ${main.length} steps done`;
  const links = (steps: readonly SetupStep[]) =>
    steps.map((step) => (
      <StepLink key={step.step} step={step} isShown={step.step === shown.step} />
    ));
  return (
    <nav class="wizard-steps" aria-label="Steps">
      <p class="quiet">{progress}</p>
      <progress max={main.length} value={done} aria-label={progress} />
      <ol>{links(main)}</ol>
      <details open={!shown.isMain}>
        <summary>More</summary>
        <ul>{links(more)}</ul>
      </details>
    </nav>
  );
}

function StepLink({ step, isShown }: { step: SetupStep; isShown: boolean }) {
  const mark = step.state === 'done' && step.warnings.length > 0 ? 'warned' : step.state;
  return (
    <li>
      <Link
        to="/setup"
        search={{ step: step.step }}
        className={isShown ? 'chosen' : ''}
        aria-current={isShown ? 'step' : undefined}
      >
        <Icon name={ICONS[mark]} class={mark} />
        <span class="grow">
          {STEPS[step.step].title}
          <span class="visually-hidden">{LABELS[mark]}</span>
          {/* The shown step itself has the reason of a failure and what to do. */}
          {!(isShown && mark === 'failed') && <small class="wrap">{step.summary}</small>}
        </span>
      </Link>
    </li>
  );
}

const ICONS = {
  done: 'completed',
  warned: 'warning',
  failed: 'warning',
  waiting: 'idle',
  todo: 'idle',
} as const;
const LABELS = {
  done: ', done',
  warned: ', done with a warning',
  failed: ', check failed',
  waiting: ', not checked yet',
  todo: ', to do',
} as const;
