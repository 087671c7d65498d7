import { secretProblem, withoutEndBreaks } from './secret-problem.ts';
import { BadVariable } from './take-values-from-files.ts';

/**
 * Names of environment variables with secrets of the service. `SERVICE_CONFIG__…` does not match:
 * those are validated with the configuration.
 */
const SECRET =
  /^(SERVICE_(?!CONFIG__)|SWITCHYARD_)(\w+_)?(TOKEN|KEY|SECRET|PASSWORD|DSN)(_PREVIOUS)?$/;

/** Whether an environment variable's name is that of a secret of the service. */
export function isSecretVariable(name: string): boolean {
  return SECRET.test(name);
}

/**
 * Removes line breaks around the service's secrets in a process's environment variables.
 *
 * @param env changed in place
 * @throws BadVariable when a secret contains a line break or another unprintable character: it could
 *   never be sent, and the error of a failed request would repeat it
 */
export function takeSecretVariables(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !isSecretVariable(name)) continue;
    // A variable with several secrets may have each on its own line.
    const parts = name.endsWith('_PREVIOUS') ? value.split(',') : [value];
    const secret = parts.map(withoutEndBreaks).join(',');
    const problem = secretProblem(secret, { inLines: false });
    if (problem !== null) throw new BadVariable(`${name} ${problem}`);
    if (secret !== value) env[name] = secret;
  }
}
