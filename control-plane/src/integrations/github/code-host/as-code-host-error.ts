import { CodeHostError } from '../../../ports/code-host/code-host.ts';
import { GitHubError } from '../api/github-error.ts';

/** Runs requests to GitHub and converts their errors to those of the port. */
export async function asCodeHostError<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!(error instanceof GitHubError)) throw error;
    const { retryable, retryAtMs } = error;
    throw new CodeHostError(`GitHub: ${error.message}`, {
      retryable,
      ...(retryAtMs === undefined ? {} : { retryAtMs }),
    });
  }
}
