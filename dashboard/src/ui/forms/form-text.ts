/** The text in a field of a form, as it was typed; empty where there is none. */
export function formText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** The text in a field of a form, without blanks around it. */
export function textIn(form: HTMLFormElement, name: string): string {
  return formText(form, name).trim();
}
