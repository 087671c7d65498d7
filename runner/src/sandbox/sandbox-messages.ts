import { cutText } from '@switchyard/shared/text/cut-text';
import { isNotPermitted } from '../container/docker/daemon/docker-call.ts';
import type { WantedImage } from '../container/docker/image/provide-image.ts';
import { EnginesMissing, imageState } from './docker-sandbox.ts';

/** Longest warning that `hello` accepts (shared/src/protocol/messages.ts). */
const MAX_WARNING_CHARS = 500;
const MAX_PROBLEM_CHARS = 250;

export const AS_CONFIGURED =
  'Agents run as plain processes, as configured: nothing protects this host from them.';

/** The warning of a runner that works without Docker for now. */
export function withoutDocker(error: unknown, source: WantedImage['source']): string {
  const weak = 'Agents run as plain processes: nothing protects this host from them.';
  return cutText(`${weak} ${wayBack(error, source, 'Docker is not usable')}`, MAX_WARNING_CHARS);
}

/** The warning of a runner whose agents ran in Docker: it does not continue without. */
export function dockerLost(error: unknown, source: WantedImage['source']): string {
  const closed = `This runner takes no new work. ${wayBack(error, source, 'Docker is gone')}`;
  const message = `${closed} To work without isolation, start it with --sandbox process.`;
  return cutText(message, MAX_WARNING_CHARS);
}

/** The problem with advice; a fix is noticed automatically, except a new group of the user. */
function wayBack(error: unknown, source: WantedImage['source'], gone: string): string {
  const state = imageState(error);
  if (state.name === 'unavailable') {
    const problem = `${gone} (${cutText(state.problem, MAX_PROBLEM_CHARS, '…')}).`;
    return isNotPermitted(error)
      ? `${problem} A new group counts once the runner is started again.`
      : `${problem} It is used within a minute once it answers.`;
  }
  const verb = source === 'build' ? 'Build' : 'Pull';
  const what = error instanceof EnginesMissing ? error.message : 'the sandbox image is missing';
  return `Docker runs here, but ${what}. ${verb} it on the Runners page, or start with --build-image.`;
}
