export { checkVisualization, type Visualization, type VisualizationOf } from './visualization.ts';
