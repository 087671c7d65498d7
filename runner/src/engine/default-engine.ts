import { ENGINE_NAME, IMAGE_BINARY_PATH } from './codex/binary.ts';

/** The engine that comes with Switchyard, and that images have unless others are named. */
export const defaultEngine = { name: ENGINE_NAME, imagePath: IMAGE_BINARY_PATH };
