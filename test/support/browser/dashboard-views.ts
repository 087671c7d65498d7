/** Each view with what it shows once its answers are there, on a service with one finished issue. */
export function dashboardViews(issueTitle: string): readonly [path: string, shows: string][] {
  return [
    ['/', issueTitle],
    ['/board', issueTitle],
    ['/issues/SY-1', issueTitle],
    ['/issues/SY-1?view=changes', issueTitle],
    ['/issues/SY-1?view=timeline', issueTitle],
    ['/issues/SY-1/compare', issueTitle],
    ['/requests', issueTitle],
    ['/pull-requests', issueTitle],
    ['/merge-queue', 'No pull requests in the merge queue'],
    ['/runners', 'Connected'],
    ['/costs', 'Yesterday'],
    ['/notifications', 'Channels'],
    ['/automations', 'No automations'],
    ['/alerts', 'No alert rules'],
    ['/templates', 'Built-in prompt'],
    ['/repositories', 'Add a repository'],
    ['/config', 'Find a setting'],
    ['/secrets', 'No secrets'],
    ['/deliveries', 'Dead letters'],
    ['/workspaces', 'SY-1'],
    ['/audit', 'Verify chain'],
    ['/engine', 'Account'],
    ['/setup', 'Model provider'],
  ];
}
