import type { Locator, Page } from 'playwright-core';
import type { BenchOptions } from '../e2e/start-bench.ts';
import type { ServiceClient } from '../e2e/service-client.ts';
import { expectAccessible } from './expect-accessible.ts';
import type { Hands, MakeHands } from './hands.ts';
import { type OpenDashboard, openDashboard } from './open-dashboard.ts';
import { expectReachableByKeyboard } from './reach-by-keyboard.ts';

/** For anything that a loaded machine may take its time for. */
const WAIT_MS = 45_000;

/** A service with an open page, and the hands with which scenarios act on it, once it has begun. */
export class Stage {
  readonly #makeHands: MakeHands;
  #set: { open: OpenDashboard; hands: Hands } | null = null;

  constructor(makeHands: MakeHands) {
    this.#makeHands = makeHands;
  }

  /** The caller ends it, also after a failure. */
  async begin(options: BenchOptions & { mayRefuse?: boolean }): Promise<void> {
    const open = await openDashboard(options);
    open.page.setDefaultTimeout(WAIT_MS);
    this.#set = { open, hands: this.#makeHands(open.page) };
    await this.load('/');
  }

  async end(): Promise<void> {
    await this.#set?.open.close();
  }

  get open(): OpenDashboard {
    return this.#begun().open;
  }

  get page(): Page {
    return this.open.page;
  }

  get client(): ServiceClient {
    return this.open.bench.client;
  }

  get hands(): Hands {
    return this.#begun().hands;
  }

  /** Opens an address as if it was typed; the page is live then. */
  async load(path: string): Promise<void> {
    await this.page.goto(path);
    await this.page.getByText('Live', { exact: true }).waitFor();
  }

  row(text: string): Locator {
    return this.page.locator('.rows > li, tbody > tr').filter({ hasText: text });
  }

  dialog(name: string): Locator {
    return this.page.getByRole('dialog', { name });
  }

  button(name: string | RegExp): Locator {
    return this.page.getByRole('button', { name });
  }

  region(name: string | RegExp): Locator {
    return this.page.getByRole('region', { name });
  }

  /** Presses a button of a dialog and waits until that is gone. */
  async settle(dialog: Locator, button: string): Promise<void> {
    await this.hands.activate(dialog.getByRole('button', { name: button, exact: true }));
    await dialog.waitFor({ state: 'detached' });
  }

  /** Waits for a short message in the corner of the page; one said before may be there still. */
  async said(text: string | RegExp): Promise<void> {
    await this.page.locator('.toast').filter({ hasText: text }).last().waitFor();
  }

  /** Fails where the page as it is now breaks a rule of accessibility, or hides from the keyboard. */
  async inspect(): Promise<void> {
    // What the hands do not change is looked at once: the rules with one, the ways with the other.
    if (this.hands.name === 'mouse') await expectAccessible(this.page);
    else await expectReachableByKeyboard(this.page);
  }

  #begun(): { open: OpenDashboard; hands: Hands } {
    if (this.#set === null) throw new Error('the stage is not set');
    return this.#set;
  }
}
