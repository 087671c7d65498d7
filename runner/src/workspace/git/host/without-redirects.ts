import { WorkspaceError } from '../../workspace.ts';

/**
 * Runs git so that it contacts only the host of its remote. Some hosts redirect an address without
 * `.git` at its end; it is then tried once more with `.git`.
 */
export async function withoutRedirects<T>(
  remoteUrl: string,
  run: (env: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const settings: [string, string][] = [['http.followRedirects', 'false']];
  const asked = (): Promise<T> => run(settingsEnvironment(settings));
  try {
    return await asked().catch((error: unknown) => {
      if (!isRedirect(error) || remoteUrl.endsWith('.git')) throw error;
      settings.push([`url.${remoteUrl.replace(/\/+$/, '')}.git.insteadOf`, remoteUrl]);
      return asked();
    });
  } catch (error) {
    if (!isRedirect(error)) throw error;
    throw new WorkspaceError(
      'repository_missing',
      `${error.message} (its host redirects to another address, which is not followed)`,
    );
  }
}

function isRedirect(error: unknown): error is WorkspaceError {
  return error instanceof WorkspaceError && /returned error: 30\d\b/.test(error.message);
}

function settingsEnvironment(settings: readonly [string, string][]): Record<string, string> {
  const pairs = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return { GIT_CONFIG_COUNT: String(settings.length), ...Object.fromEntries(pairs) };
}
