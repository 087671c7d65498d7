import type { Locator, Page } from 'playwright-core';

/** How a person does things on a page: with a mouse, or with a keyboard alone. */
export type Hands = {
  readonly name: 'mouse' | 'keyboard';
  /** Goes to a view of the navigation, from wherever one is. */
  goTo(label: string): Promise<void>;
  /** Goes to the page of an issue, from wherever one is. */
  openIssue(identifier: string): Promise<void>;
  /** Presses a button, follows a link. */
  activate(control: Locator): Promise<void>;
  /** Replaces what stands in a field; an empty text clears it. */
  type(field: Locator, text: string): Promise<void>;
  /** Chooses an option of a select by what it says. */
  choose(select: Locator, option: string): Promise<void>;
  /** Chooses a radio button or a tab, ticks a box. */
  pick(choice: Locator): Promise<void>;
  /** Sends the form that was just filled in. */
  submit(button: Locator): Promise<void>;
  /** Leaves a dialog without doing what it asks for. */
  dismiss(dialog: Locator): Promise<void>;
};

export type MakeHands = (page: Page) => Hands;

/** The heading with which a view tells that it is there. */
export const headingOf = (page: Page, label: string): Locator =>
  page.getByRole('heading', { name: label, level: 1, exact: true });

/** Where an issue's page tells which one it is. */
export const issueHeading = (page: Page, identifier: string): Locator =>
  page.locator('.issue-heading .identifier').getByText(identifier, { exact: true });
