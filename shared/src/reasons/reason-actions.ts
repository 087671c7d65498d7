/** What a person can do about a reason: a closed list of buttons and links. */
export type ReasonAction =
  | 'none'
  | 'retry'
  | 'deliver_again'
  | 'open_issue'
  | 'open_tracker'
  | 'answer'
  | 'open_merge_queue'
  | 'connect_provider'
  | 'add_repository'
  | 'connect_code_host'
  | 'add_runner'
  | 'resume'
  | 'edit_settings'
  | 'edit_budget'
  | 'edit_templates'
  | 'read_isolation';

export type ActionEntry = {
  label: string;
  /** Page of the dashboard for the action; `{issue}` stands for the identifier. */
  path: string;
  /** The same action on the command line; left out where it has none. */
  command?: string;
};

/** Label and place of each action. `none`: there is nothing to do. */
export const REASON_ACTIONS: Record<Exclude<ReasonAction, 'none'>, ActionEntry> = {
  retry: {
    label: 'Retry',
    path: '/issues/{issue}',
    command: 'switchyard issue retry {issue}',
  },
  deliver_again: { label: 'Deliver again', path: '/issues/{issue}' },
  open_issue: { label: 'Open the issue', path: '/issues/{issue}' },
  open_tracker: { label: 'Open in the tracker', path: '/issues/{issue}' },
  answer: { label: 'Open the inbox', path: '/requests' },
  open_merge_queue: { label: 'Open the merge queue', path: '/merge-queue' },
  connect_provider: { label: 'Connect a model provider', path: '/setup?step=provider' },
  add_repository: { label: 'Add a repository', path: '/setup?step=repository' },
  connect_code_host: { label: 'Check the code host', path: '/setup?step=code_host' },
  add_runner: { label: 'Add a runner', path: '/runners' },
  resume: { label: 'Resume', path: '/' },
  edit_settings: { label: 'Open the settings', path: '/config' },
  edit_budget: { label: 'Change the budget', path: '/config' },
  edit_templates: { label: 'Open the templates', path: '/templates' },
  read_isolation: { label: 'What isolation protects', path: '/docs/security#what-is-protected' },
};
