const PREFIX = '$SECRET:';
const NAME_RULE = '[A-Za-z0-9_][A-Za-z0-9_.-]{0,199}';
const WHOLE_NAME = new RegExp(`^${NAME_RULE}$`);

/** A configuration value that stands for a secret by its name: `$SECRET:NAME`. */
export const SECRET_REFERENCE = new RegExp(`^\\$SECRET:${NAME_RULE}$`);

/** Whether a secret may have this name. */
export function isSecretName(text: string): boolean {
  return WHOLE_NAME.test(text);
}

export function isSecretReference(value: unknown): value is string {
  return typeof value === 'string' && SECRET_REFERENCE.test(value);
}

/** Whether a text is meant as a reference, valid or not. */
export function isMeantAsReference(text: string): boolean {
  return text.startsWith(PREFIX);
}

export function secretReference(name: string): string {
  return `${PREFIX}${name}`;
}

/** Name of the secret in a reference. */
export function referredSecret(reference: string): string {
  return reference.slice(PREFIX.length);
}
