import type { IconName } from '../../ui/marks/icon.tsx';

/** Every view of the navigation, in its order. */
export const VIEWS = [
  { to: '/', label: 'Overview', icon: 'overview', group: 'work', chord: 'o' },
  { to: '/board', label: 'Board', icon: 'board', group: 'work', chord: 'b' },
  { to: '/requests', label: 'Inbox', icon: 'inbox', group: 'work', chord: 'i' },
  { to: '/pull-requests', label: 'Pull requests', icon: 'pull', group: 'work', chord: 'p' },
  { to: '/merge-queue', label: 'Merge queue', icon: 'merge', group: 'work', chord: 'q' },
  { to: '/feed', label: 'Live feed', icon: 'feed', group: 'work', chord: 'f' },
  { to: '/notifications', label: 'Notifications', icon: 'bell', group: 'work', chord: 'n' },
  { to: '/runners', label: 'Runners', icon: 'runner', group: 'work', chord: 'r' },
  { to: '/costs', label: 'Costs', icon: 'cost', group: 'work', chord: 'm' },
  { to: '/automations', label: 'Automations', icon: 'clock', group: 'work', chord: 'a' },
  { to: '/alerts', label: 'Alerts', icon: 'siren', group: 'work', chord: 'l' },
  { to: '/config', label: 'Configuration', icon: 'sliders', group: 'settings', chord: 'c' },
  { to: '/repositories', label: 'Repositories', icon: 'route', group: 'settings', chord: 'u' },
  { to: '/engine', label: 'Engine', icon: 'engine', group: 'settings', chord: 'e' },
  { to: '/templates', label: 'Templates', icon: 'template', group: 'settings', chord: 't' },
  { to: '/secrets', label: 'Secrets', icon: 'key', group: 'settings', chord: 'k' },
  { to: '/deliveries', label: 'Webhooks', icon: 'webhook', group: 'settings', chord: 'h' },
  { to: '/workspaces', label: 'Workspaces', icon: 'disk', group: 'settings', chord: 'w' },
  { to: '/audit', label: 'Audit', icon: 'audit', group: 'settings', chord: 'd' },
  { to: '/setup', label: 'Setup', icon: 'setup', group: 'settings', chord: 's' },
  { to: '/settings', label: 'Settings', icon: 'tool', group: 'index', chord: ',' },
] as const satisfies readonly KnownView[];

type KnownView = {
  to: string;
  label: string;
  icon: IconName;
  /** `index` lists the settings: one entry of the sidebar represents them all. */
  group: 'work' | 'settings' | 'index';
  /** The key that opens the view after `g`. */
  chord: string;
};

export type View = (typeof VIEWS)[number];
export type ViewPath = View['to'];
export type SettingsPath = Extract<View, { group: 'settings' }>['to'];

/** Views in the navigation bar at the bottom of a phone; the rest is behind "More". */
export const PHONE_VIEWS: readonly ViewPath[] = ['/', '/board', '/requests', '/feed'];
/** Views in a phone's navigation bar after Setup, while the setup is incomplete. */
export const PHONE_VIEWS_BEFORE_SET_UP: readonly ViewPath[] = ['/', '/board', '/requests'];
