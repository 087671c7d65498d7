/**
 * Whether the view follows the end of a growing list, and how many rows arrived since it stopped.
 */
export type Follow = { following: boolean; total: number; unseen: number };

export const startFollowing: Follow = { following: true, total: 0, unseen: 0 };

export type FollowChange =
  /** The list has this many rows now. */
  | { type: 'grew'; total: number }
  /** The reader scrolled; the end is in view or not. */
  | { type: 'scrolled'; atEnd: boolean }
  | { type: 'jumped' };

/** The state after a change: scrolling away stops following; reaching the end resumes it. */
export function follow(state: Follow, change: FollowChange): Follow {
  switch (change.type) {
    case 'grew': {
      const added = Math.max(0, change.total - state.total);
      if (change.total === state.total) return state;
      return { ...state, total: change.total, unseen: state.following ? 0 : state.unseen + added };
    }
    case 'scrolled':
      if (change.atEnd === state.following) return state;
      return { ...state, following: change.atEnd, unseen: 0 };
    case 'jumped':
      return { ...state, following: true, unseen: 0 };
  }
}
