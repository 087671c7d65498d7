import { secretProblem, withoutEndBreaks } from './secret-problem.ts';
import { BadVariable } from './take-values-from-files.ts';

/** Settings under `SERVICE_CONFIG__` are checked as every part of the configuration is. */
const SECRET =
  /^(SERVICE_(?!CONFIG__)|SWITCHYARD_)(\w+_)?(TOKEN|KEY|SECRET|PASSWORD|DSN)(_PREVIOUS)?$/;

/**
 * Takes the line breaks around our secrets among the variables of a process away.
 *
 * @param env changed in place
 * @throws BadVariable when one has a line break inside: it could never be sent, and would be repeated
 *   in the error of whoever tried
 */
export function takeSecretVariables(env: Record<string, string | undefined>): void {
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined || !SECRET.test(name)) continue;
    // Of several each may stand in a line of its own.
    const parts = name.endsWith('_PREVIOUS') ? value.split(',') : [value];
    const secret = parts.map(withoutEndBreaks).join(',');
    const problem = secretProblem(secret, { inLines: false });
    if (problem !== null) throw new BadVariable(`${name} ${problem}`);
    if (secret !== value) env[name] = secret;
  }
}
