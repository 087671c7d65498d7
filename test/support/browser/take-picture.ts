import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** A folder in which walks leave a picture of each step, to be looked at by people; unset: none. */
const FOLDER = process.env['SWITCHYARD_PICTURES'];

/** Leaves a picture of the page as it is now, where that was asked for. */
export async function takePicture(page: Page, name: string): Promise<void> {
  if (FOLDER === undefined || FOLDER === '') return;
  await mkdir(FOLDER, { recursive: true });
  await page.screenshot({ path: join(FOLDER, `${name}.png`), animations: 'disabled' });
}
