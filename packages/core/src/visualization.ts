/** The forms in which a result can be shown to a person. */
type VisualizationType =
  | 'diff'
  | 'diffs'
  | 'code'
  | 'file-list'
  | 'table'
  | 'markdown'
  | 'shell-output'
  | 'todo-list'
  | 'none';

/** A result as a person is shown it. The model never sees it. */
export interface Visualization {
  readonly type: VisualizationType;
  readonly [member: string]: unknown;
}
