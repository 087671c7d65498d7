import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ComponentChildren } from 'preact';
import {
  localIssuesQuery,
  repoRoutesQuery,
  runnersQuery,
  runtimeQuery,
} from '../../api/queries.ts';
import { formatDuration } from '../../format/time.ts';
import { plural } from '../../format/number.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Page } from '../../ui/page.tsx';
import { LoadError } from '../../ui/panel-states.tsx';
import { RepoRoutes } from './repo-routes.tsx';
import './setup.css';

const PROVIDER_KEY = 'SERVICE_CONFIG__engine__provider__apiKey';

/** What the service needs before an issue can become a pull request, and what of it is there. */
export function SetupPage() {
  const routes = useQuery(repoRoutesQuery);
  const runtime = useQuery(runtimeQuery);
  const runners = useQuery(runnersQuery);
  const issues = useQuery(localIssuesQuery);
  const connected = runners.data?.runners.filter((runner) => runner.status === 'connected').length;
  return (
    <Page title="Setup">
      <div class="column-page">
        {runtime.error !== null && runtime.data === undefined && (
          <LoadError error={runtime.error} onRetry={() => void runtime.refetch()} />
        )}
        <ol class="setup">
          <Step
            title="Repositories"
            done={known(routes.data?.routes.length)}
            doneText={plural(routes.data?.routes.length ?? 0, 'route')}
          >
            <p>
              Which repository an issue belongs to: by its label first, then by the prefix of its
              identifier.
            </p>
            <RepoRoutes />
          </Step>
          <Step
            title="Model provider"
            done={runtime.data && runtime.data.provider !== null}
            doneText={runtime.data?.provider ?? ''}
          >
            <p>
              The key stays with the service and the runner's model proxy; no agent ever sees it.
              Set it in the environment and start the service again:
            </p>
            <div class="command">
              <code>{PROVIDER_KEY}</code>
              <CopyButton text={PROVIDER_KEY} />
            </div>
          </Step>
          <Step title="Runner" done={known(connected)} doneText={`${connected ?? 0} connected`}>
            <p>
              The machine that does the work. <Link to="/runners">Add or look at runners</Link>
            </p>
          </Step>
          <Step
            title="First issue"
            done={known(issues.data?.total)}
            doneText={plural(issues.data?.total ?? 0, 'issue')}
          >
            <p>
              Write one <Link to="/">on the board</Link> and watch it become a pull request.
            </p>
          </Step>
        </ol>
        {runtime.data && (
          <p class="quiet setup-foot">
            Switchyard {runtime.data.version} · {runtime.data.instance.role} · up for{' '}
            {formatDuration(runtime.data.uptime_seconds * 1_000)}
            {runtime.data.data_dir !== null && (
              <>
                {' '}
                · data in <span class="mono wrap">{runtime.data.data_dir}</span>
              </>
            )}
          </p>
        )}
      </div>
    </Page>
  );
}

/** Undefined while unknown, so that a step never claims what was not read yet. */
function known(count: number | undefined): boolean | undefined {
  return count === undefined ? undefined : count > 0;
}

function Step(props: {
  title: string;
  done: boolean | undefined;
  doneText: string;
  children: ComponentChildren;
}) {
  const word = props.done === undefined ? 'Checking' : props.done ? props.doneText : 'To do';
  const look = props.done === true ? 'completed' : 'idle';
  return (
    <li class={`panel step ${props.done === true ? 'done' : ''}`}>
      <header>
        <h2>{props.title}</h2>
        <span class={`status status-${look}`}>
          <Icon name={look} size={14} /> {word}
        </span>
      </header>
      {props.children}
    </li>
  );
}
