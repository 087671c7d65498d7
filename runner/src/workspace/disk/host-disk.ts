import { deleteTree } from './delete-tree.ts';
import { type FreeRoom, freeRoomOf } from './free-room.ts';

/** Operations on this host's disk that attempts need, apart from their own open folders. */
export interface HostDisk {
  deleteTree(path: string): Promise<void>;
  freeRoom(folder: string): Promise<FreeRoom>;
}

/** The disk itself. */
export const hostDisk: HostDisk = { deleteTree, freeRoom: freeRoomOf };
