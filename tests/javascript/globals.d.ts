/** What charts of one page share: the library once it is there, and the charts that wait for it. */
interface Window { workbenchCharts?: any }
