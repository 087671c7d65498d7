import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import { Link } from '@tanstack/react-router';
import { Icon } from '../../ui/marks/icon.tsx';
import { useMissingSteps } from './use-missing-steps.ts';

const TITLES: Record<SetupStepName, string> = {
  master_key: 'Back up the master key',
  tracker: 'Connect a tracker',
  repository: 'Add a repository',
  provider: 'Connect a model provider',
  code_host: 'Connect the code host',
  runner: 'Connect a runner',
  issue: 'Create a first issue',
};

/** Warns that no issue can start yet, and links to what is missing; nothing once all is set up. */
export function SetUpPanel() {
  const missing = useMissingSteps() ?? [];
  const [first] = missing;
  if (first === undefined) return null;
  return (
    <section class="panel overview-panel set-up" aria-labelledby="set-up">
      <h2 id="set-up">
        <Icon name="warning" size={14} />{' '}
        {missing.some(({ state }) => state === 'todo')
          ? 'No issue can start yet'
          : 'A check of the setup failed'}
        <Link to="/setup" search={{ step: first.step }} className="button small primary">
          {TITLES[first.step]}
        </Link>
      </h2>
      <p class="all-clear">
        {missing.length === 1 ? 'One setup step remains:' : `${missing.length} setup steps remain:`}
      </p>
      <ol class="rows">
        {missing.map(({ step, summary }) => (
          <li key={step}>
            <div class="grow">
              <Link to="/setup" search={{ step }} className="row-link">
                {TITLES[step]}
              </Link>
              <p class="quiet wrap">{summary}</p>
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
