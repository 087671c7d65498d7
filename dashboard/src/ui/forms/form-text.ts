/** The text of a form's field as typed; empty where the field is missing. */
export function formText(form: HTMLFormElement, name: string): string {
  const value = new FormData(form).get(name);
  return typeof value === 'string' ? value : '';
}

/** The text of a form's field without surrounding blanks. */
export function textIn(form: HTMLFormElement, name: string): string {
  return formText(form, name).trim();
}
