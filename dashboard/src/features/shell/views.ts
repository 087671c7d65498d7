import type { IconName } from '../../ui/marks/icon.tsx';

/** Every view one can go to from anywhere, in the order of the navigation. */
export const VIEWS = [
  { to: '/', label: 'Overview', icon: 'overview', group: 'work', chord: 'o' },
  { to: '/board', label: 'Board', icon: 'board', group: 'work', chord: 'b' },
  { to: '/requests', label: 'Inbox', icon: 'inbox', group: 'work', chord: 'i' },
  { to: '/feed', label: 'Live feed', icon: 'feed', group: 'work', chord: 'f' },
  { to: '/pull-requests', label: 'Pull requests', icon: 'pull', group: 'work', chord: 'p' },
  { to: '/costs', label: 'Costs', icon: 'cost', group: 'work', chord: 'm' },
  { to: '/runners', label: 'Runners', icon: 'runner', group: 'work', chord: 'r' },
  { to: '/notifications', label: 'Notifications', icon: 'bell', group: 'rules', chord: 'n' },
  { to: '/automations', label: 'Automations', icon: 'clock', group: 'rules', chord: 'a' },
  { to: '/alerts', label: 'Alerts', icon: 'siren', group: 'rules', chord: 'l' },
  { to: '/templates', label: 'Templates', icon: 'template', group: 'rules', chord: 't' },
  { to: '/repositories', label: 'Repositories', icon: 'route', group: 'rules', chord: 'u' },
  { to: '/config', label: 'Configuration', icon: 'sliders', group: 'service', chord: 'c' },
  { to: '/secrets', label: 'Secrets', icon: 'key', group: 'service', chord: 'k' },
  { to: '/deliveries', label: 'Webhooks', icon: 'webhook', group: 'service', chord: 'h' },
  { to: '/workspaces', label: 'Workspaces', icon: 'disk', group: 'service', chord: 'w' },
  { to: '/audit', label: 'Audit', icon: 'audit', group: 'service', chord: 'd' },
  { to: '/engine', label: 'Engine', icon: 'engine', group: 'service', chord: 'e' },
  { to: '/setup', label: 'Setup', icon: 'setup', group: 'service', chord: 's' },
] as const satisfies readonly View[];

type View = {
  to: string;
  label: string;
  icon: IconName;
  group: 'work' | 'rules' | 'service';
  /** Typed after `g`, it goes there. */
  chord: string;
};

export type ViewPath = (typeof VIEWS)[number]['to'];

/** What stands in the bar at the bottom of a phone; the rest is behind "More". */
export const PHONE_VIEWS: readonly ViewPath[] = ['/', '/board', '/requests', '/feed'];
