import { withoutEndBreaks } from '@switchyard/shared/settings/secret-problem';
import type {
  CoordinatorCalls,
  DatabaseWriterCalls,
  EventsHubCalls,
  RunnerPoolCalls,
} from './coordinator-calls.ts';

/** The bindings of wrangler.toml. Settings are text: `SERVICE_*`, as variables and secrets. */
export type WorkerEnv = {
  COORDINATOR: DurableObjectNamespace<CoordinatorCalls>;
  RUNNER_POOL: DurableObjectNamespace<RunnerPoolCalls>;
  EVENTS_HUB: DurableObjectNamespace<EventsHubCalls>;
  DATABASE_WRITER: DurableObjectNamespace<DatabaseWriterCalls>;
  /** The files of the built dashboard. */
  ASSETS: Fetcher;
  /** The deployment's version; absent in some test harnesses. */
  VERSION?: WorkerVersionMetadata;
} & Readonly<Record<`SERVICE_${string}`, string | undefined>>;

/** The settings as an environment for the core, without surrounding line breaks. */
export function variablesOf(env: WorkerEnv): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, withoutEndBreaks(value)]] : [],
    ),
  );
}
