import { withoutEndBreaks } from '@switchyard/shared/settings/secret-problem';
import type {
  CoordinatorCalls,
  DatabaseWriterCalls,
  EventsHubCalls,
  RunnerPoolCalls,
} from './coordinator-calls.ts';

/** What wrangler.toml binds. Settings are text: `SERVICE_*`, as variables and secrets. */
export type WorkerEnv = {
  COORDINATOR: DurableObjectNamespace<CoordinatorCalls>;
  RUNNER_POOL: DurableObjectNamespace<RunnerPoolCalls>;
  EVENTS_HUB: DurableObjectNamespace<EventsHubCalls>;
  DATABASE_WRITER: DurableObjectNamespace<DatabaseWriterCalls>;
  /** The built dashboard. */
  ASSETS: Fetcher;
  /** Which deployment this is; absent in some test harnesses. */
  VERSION?: WorkerVersionMetadata;
} & Readonly<Record<`SERVICE_${string}`, string | undefined>>;

/** The settings alone, as the core reads an environment, without line breaks around them. */
export function variablesOf(env: WorkerEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, withoutEndBreaks(value)]] : [],
    ),
  );
}
