import type { RegisterCommand } from './options/command-context.ts';

/** A command's entry in the list of all commands; its own file is loaded only when it is used. */
export type ListedCommand = {
  name: string;
  /** Heading of the list under which the command appears. */
  group: string;
  summary: string;
  load(): Promise<RegisterCommand>;
};

const TRY = 'Start here:';
const WORK = 'Work with issues:';
const MACHINES = 'Machines and people:';
const OPERATE = 'Operate:';

/** Every command, in the order of the list. */
export const commandList: readonly ListedCommand[] = [
  {
    name: 'demo',
    group: TRY,
    summary: 'watch an issue become a pull request: no account, no key, nothing is kept',
    load: async () => (await import('./commands/demo.ts')).registerDemo,
  },
  {
    name: 'start',
    group: TRY,
    summary: 'run the control plane and a runner on this machine, and open the dashboard',
    load: async () => (await import('./commands/start.ts')).registerStart,
  },
  {
    name: 'doctor',
    group: TRY,
    summary: 'check this installation and say what to do; --fix does what it can',
    load: async () => (await import('./commands/doctor.ts')).registerDoctor,
  },
  {
    name: 'issue',
    group: WORK,
    summary: 'create, list, show, retry or stop issues of a running service',
    load: async () => (await import('./commands/issue.ts')).registerIssue,
  },
  {
    name: 'logs',
    group: WORK,
    summary: 'show or follow what an agent says and does',
    load: async () => (await import('./commands/logs.ts')).registerLogs,
  },
  {
    name: 'webhooks',
    group: WORK,
    summary: 'list and replay deliveries that could not be processed',
    load: async () => (await import('./commands/webhooks.ts')).registerWebhooks,
  },
  {
    name: 'runner',
    group: MACHINES,
    summary: 'make this machine a runner of a control plane (runner join), and run it',
    load: async () => (await import('./commands/runner.ts')).registerRunner,
  },
  {
    name: 'engine',
    group: MACHINES,
    summary: 'list, install and check agent engines on this machine',
    load: async () => (await import('./engine/register-engine.ts')).registerEngine,
  },
  {
    name: 'open',
    group: MACHINES,
    summary: 'open the dashboard with this browser signed in',
    load: async () => (await import('./commands/open.ts')).registerOpen,
  },
  {
    name: 'sign-out',
    group: MACHINES,
    summary: 'sign every browser out of the dashboard',
    load: async () => (await import('./commands/sign-out.ts')).registerSignOut,
  },
  {
    name: 'config',
    group: OPERATE,
    summary: 'read, change and validate the configuration',
    load: async () => (await import('./commands/config.ts')).registerConfig,
  },
  {
    name: 'backup',
    group: OPERATE,
    summary: 'copy the database, or restore a copy',
    load: async () => (await import('./commands/backup.ts')).registerBackup,
  },
  {
    name: 'data',
    group: OPERATE,
    summary: 'move the database to a libSQL server, or back',
    load: async () => (await import('./commands/data.ts')).registerData,
  },
  {
    name: 'upgrade',
    group: OPERATE,
    summary: 'back the database up and bring it to this version',
    load: async () => (await import('./commands/upgrade.ts')).registerUpgrade,
  },
  {
    name: 'deploy',
    group: OPERATE,
    summary: 'put the control plane on Cloudflare Workers',
    load: async () => (await import('./commands/deploy.ts')).registerDeploy,
  },
  {
    name: 'edge',
    group: OPERATE,
    summary: 'run the control plane as on Cloudflare Workers on this machine (edge dev)',
    load: async () => (await import('./edge/register-edge.ts')).registerEdge,
  },
];
