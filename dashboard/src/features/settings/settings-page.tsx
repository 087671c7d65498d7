import { Link } from '@tanstack/react-router';
import { Icon } from '../../ui/marks/icon.tsx';
import { Page } from '../../ui/layout/page.tsx';
import { type SettingsPath, VIEWS } from '../shell/views.ts';

/** What each page is for. */
const ABOUT: Record<SettingsPath, string> = {
  '/config': 'Every setting, as a form and as JSON.',
  '/repositories': 'Which issues belong to which repository.',
  '/engine': 'Agent engines: what each can do, their accounts and a test turn.',
  '/templates': 'The first prompt of an agent, with a preview.',
  '/secrets': 'Keys and tokens. Values are stored encrypted and never shown.',
  '/deliveries': 'Webhooks that came in, and those that could not be processed.',
  '/workspaces': 'Working copies on the runners, and the disk space they take.',
  '/audit': 'Who changed what, in a chain that can be verified.',
  '/setup': 'The steps to a first pull request, and whether each works.',
};

/** All pages for settings, each with its purpose. */
export function SettingsPage() {
  return (
    <Page title="Settings">
      <div class="column-page">
        <ul class="rows panel">
          {VIEWS.filter((view) => view.group === 'settings').map((view) => (
            <li key={view.to}>
              <Icon name={view.icon} />
              <div class="grow">
                <Link to={view.to} className="row-link">
                  {view.label}
                </Link>
                <p class="quiet">{ABOUT[view.to]}</p>
              </div>
            </li>
          ))}
          <li>
            <Icon name="code" />
            <div class="grow">
              <a class="row-link" href="/api/docs">
                API explorer
              </a>
              <p class="quiet">Every operation of the API, to read and to try.</p>
            </div>
          </li>
        </ul>
      </div>
    </Page>
  );
}
