import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../ui/marks/icon.tsx';
import { useLastCheck } from './live-check.tsx';
import type { Setup } from './queries.ts';
import { STEPS } from './steps.tsx';

/** All steps with where each stands; any may be taken at any time. */
export function StepList({ setup, shown }: { setup: Setup; shown: string }) {
  const done = setup.steps.filter((step) => step.done).length;
  const words = `${done} of ${STEPS.length} steps done`;
  return (
    <nav class="wizard-steps" aria-label="Steps">
      <p class="quiet">{words}</p>
      <progress max={STEPS.length} value={done} aria-label={words} />
      <ol>
        {STEPS.map(({ name, title }) => (
          <StepLink key={name} name={name} title={title} setup={setup} isShown={name === shown} />
        ))}
      </ol>
    </nav>
  );
}

type StepLinkProps = { name: SetupStepName; title: string; setup: Setup; isShown: boolean };

function StepLink({ name, title, setup, isShown }: StepLinkProps) {
  const step = setup.steps.find((each) => each.step === name);
  const standing = useStanding(setup, name);
  return (
    <li>
      <Link
        to="/setup"
        search={{ step: name }}
        className={isShown ? 'chosen' : ''}
        aria-current={isShown ? 'step' : undefined}
      >
        <Icon name={ICONS[standing]} class={standing} />
        <span class="grow">
          {title}
          <span class="visually-hidden">{WORDS[standing]}</span>
          <small class="wrap">{step?.summary}</small>
        </span>
      </Link>
    </li>
  );
}

type Standing = 'done' | 'warned' | 'refused' | 'open';
const ICONS = { done: 'completed', warned: 'warning', refused: 'warning', open: 'idle' } as const;
const WORDS = {
  done: ', done',
  warned: ', done with a warning',
  refused: ', check failed',
  open: ', to do',
} as const;

/** What is set may still be refused by whom it concerns; only a look tells. */
export function useStanding(setup: Setup, name: SetupStepName): Standing {
  const check = useLastCheck(name);
  const isSet = setup.steps.find(({ step }) => step === name)?.done ?? false;
  if (!isSet) return 'open';
  if (check?.ok === false) return 'refused';
  return name === 'provider' && setup.provider.warning !== null ? 'warned' : 'done';
}
