/** Groups of operations in the order of the document; `paths` decides the group of a path. */
const GROUPS: readonly { name: string; description: string; paths: RegExp }[] = [
  {
    name: 'State and metrics',
    description: 'What the service does now.',
    paths:
      /^\/(metrics|healthz|readyz|api\/v1\/(state|runtime|observability|recovery|backup|usage|refresh|transitions|events|models|pause|resume|search))/,
  },
  {
    name: 'Attempts',
    description: 'Single runs of an agent for an issue.',
    paths: /^\/api\/v1\/(attempts|\{id\}\/(attempts|diff|checkpoints))/,
  },
  {
    name: 'Requests',
    description: 'What agents ask of people.',
    paths: /^\/api\/v1\/requests/,
  },
  {
    name: 'Issues',
    description:
      'Issues of the tracker, as lists and by their identifier, and what is done with them.',
    paths: /^\/api\/v1\/(issues|\{id\})/,
  },
  {
    name: 'Merge queue',
    description: 'Pull requests that are merged after a test of exactly that merge.',
    paths: /^\/api\/v1\/merge-queue/,
  },
  {
    name: 'Reviews',
    description: 'Reviews of pull requests by agents.',
    paths: /^\/api\/v1\/pull-requests/,
  },
  {
    name: 'Configuration',
    description: 'The effective configuration, its overlay, secrets and templates.',
    paths: /^\/api\/v1\/(config|secrets|master-key|templates)/,
  },
  {
    name: 'Setup',
    description: 'The way from nothing to a first pull request.',
    paths: /^\/api\/v1\/setup/,
  },
  {
    name: 'Workspaces and git',
    description: 'What runners hold of repositories.',
    paths: /^\/api\/v1\/(workspaces|git)/,
  },
  {
    name: 'Runners',
    description: 'The machines on which agents run, and the protocol that they speak.',
    paths: /^\/api\/v1\/runners/,
  },
  {
    name: 'Audit and notifications',
    description: 'Who changed what, and who is told.',
    paths: /^\/api\/v1\/(audit|notifications|automations|alerts)/,
  },
  {
    name: 'Webhooks',
    description: 'Deliveries and triggers from other systems.',
    paths: /^\/(webhooks|api\/v1\/webhooks)/,
  },
  {
    name: 'Agent engine',
    description: 'Which engines there are, and questions that a runner passes on to one.',
    paths: /^\/api\/v1\/engine/,
  },
  {
    name: 'Built-in tracker and code host',
    description: 'Issues and pull requests that the service keeps itself.',
    paths: /^\/api\/v1\/local/,
  },
  {
    name: 'Access',
    description: 'Sessions and tokens.',
    paths: /^\/api\/v1\/(session|tokens)/,
  },
  { name: 'Documentation', description: 'This document.', paths: /^\/api\/(docs|v1\/openapi)/ },
];
const OTHER = { name: 'Further', description: 'What belongs to no group above.' };

/** The groups with their descriptions. */
export const TAGS = [...GROUPS.map(({ name, description }) => ({ name, description })), OTHER];

/** The group of a path in the document's notation. */
export function tagOf(path: string): string {
  return GROUPS.find((group) => group.paths.test(path))?.name ?? OTHER.name;
}
