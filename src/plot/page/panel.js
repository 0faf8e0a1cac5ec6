// One panel: its frame and ticks, its curves, the legend above it with the values under the cursor.

const PALETTE = {
    light: ['#0072b2', '#d55e00', '#009e73', '#b5588f', '#b77900', '#2a8fc4', '#333333'],
    dark: ['#4aa8e0', '#ff8a4c', '#2fc79b', '#e69cc6', '#f0b429', '#8fd0f5', '#dddddd'],
};
const DASHES = [[], [7, 4], [2, 3], [8, 3, 2, 3]];

function element(name, attributes = {}, ...children) {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    node.append(...children);
    return node;
}

class Panel {
    constructor(view, signals, against) {
        Object.assign(this, {view, signals, against});
        this.canvas = element('canvas');
        this.overlay = element('canvas', {class: 'overlay'});
        this.legend = element('div', {class: 'legend'});
        this.box = element('div', {class: 'plot', tabindex: '-1'}, this.canvas, this.overlay);
        this.node = element('section', {class: 'panel'}, this.legend, this.box);
        this.curves = [];
        this.makeCurves();
    }
    get inTime() {
        return this.against < 0;
    }
    // Colour says which signal, or which run if there is one signal; a dash says which run otherwise.
    makeCurves() {
        const {runs, head} = this.view, alone = this.signals.length === 1;
        runs.forEach((run, r) => this.signals.forEach((column, s) => {
            const {name, unit} = head.columns[column], values = element('output');
            const label = runs.length > 1 ? (alone ? run.label : `${name} (${run.label})`) : name;
            const title = unit !== '' && !(runs.length > 1 && alone) ? ` ${unit}` : '';
            const swatch = element('i');
            this.legend.append(element('span', {class: 'entry'}, swatch, label + title, values));
            this.curves.push({run, column, values, swatch, colour: alone ? r : s, dash: alone ? 0 : r});
        }));
        if (runs.length > 1 && alone) this.legend.prepend(element('b', {}, head.columns[this.signals[0]].name));
        if (!this.inTime) this.legend.append(element('span', {class: 'entry'}, `against ${this.nameOf(this.against)}`));
    }
    nameOf(column) {
        const {name, unit} = this.view.head.columns[column];
        return unit !== '' ? `${name} ${unit}` : name;
    }
    // The extremes of a column in the times shown, over all runs.
    range(columns) {
        let low = Infinity, high = -Infinity;
        for (const run of this.view.runs) {
            const rows = rowsIn(run, this.view.times);
            for (const column of columns) {
                const pyramid = run.pyramid(column);
                pyramid.extremes(rows.from, rows.to);
                low = Math.min(low, pyramid.low);
                high = Math.max(high, pyramid.high);
            }
        }
        if (this.impulseColumns().length > 0 && low <= high) {
            low = Math.min(low, 0);
            high = Math.max(high, 0);
        }
        return airy(low, high);
    }
    impulseColumns() {
        const {columns} = this.view.head;
        return columns.flatMap((c, i) => c.of !== undefined && this.signals.includes(c.of) ? [i] : []);
    }
    draw() {
        const {view} = this, {left, right} = view.margins(), width = this.box.clientWidth;
        const height = this.inTime ? view.panelHeight : Math.min(width, 420), bottom = this.last || !this.inTime ? 34 : 8;
        const g = prepare(this.canvas, width, height);
        const [low, high] = this.range(this.signals);
        this.y = new Scale(low, high, height - bottom, 8);
        const across = this.inTime ? [view.times.from, view.times.to] : this.range([this.against]);
        this.x = new Scale(...across, left, this.isSquare(across, high - low) ?
            Math.min(width - right, left + (across[1] - across[0]) * Math.abs(this.y.factor)) : width - right);
        this.height = height;
        this.drawAxes(g, width);
        g.save();
        g.beginPath();
        g.rect(left, 0, width - left - right, height - bottom + 4);
        g.clip();
        this.drawCurves(g);
        g.restore();
        this.drawCursor();
    }
    // A plane of two signals of one unit has one scale, unless that would hide one of them.
    isSquare(across, high) {
        const {columns} = this.view.head, ratio = (across[1] - across[0]) / high;
        return !this.inTime && this.signals.every(s => columns[s].unit === columns[this.against].unit) && ratio > 0.3 && ratio < 3.5;
    }
    drawCurves(g) {
        const {view} = this, palette = view.palette();
        for (const curve of this.curves) {
            const colour = palette[curve.colour % palette.length], dash = DASHES[curve.dash % DASHES.length];
            curve.swatch.style.background = colour;
            g.strokeStyle = colour;
            g.setLineDash(dash);
            if (!this.inTime) drawPhase(g, curve.run, curve.column, this.against, view.times, this.x, this.y);
            else drawCurve(g, curve.run, curve.column, this.x, this.y, colour, view.ink.background, dash);
            g.setLineDash([]);
            for (const i of this.inTime ? this.impulseColumns() : [])
                if (view.head.columns[i].of === curve.column)
                    drawImpulses(g, curve.run, i, view.head.columns[i].order, this.x, this.y, colour);
        }
    }
    drawAxes(g, width) {
        const {x, y, view} = this, ink = view.ink;
        g.lineWidth = 1;
        g.strokeStyle = ink.grid;
        g.fillStyle = ink.faint;
        const power = axisPower(y.from, y.to), vertical = tickValues(y.from, y.to, (y.start - y.end) / 28);
        g.textAlign = 'right';
        for (const value of vertical.list) {
            const py = Math.round(y.pixel(value)) + 0.5;
            this.line(g, x.start, py, x.end, py);
            g.fillText(tickText(value, vertical.step, 10 ** power), x.start - 6, py + 4);
        }
        if (power !== 0) {
            g.textAlign = 'left';
            g.fillText('·10' + raised(power), 2, 12);
        }
        if (this.inTime) this.drawTimeTicks(g, width);
        else this.drawAcross(g, width);
        g.strokeStyle = ink.axis;
        g.strokeRect(x.start + 0.5, y.end + 0.5, x.end - x.start, y.start - y.end);
    }
    line(g, x0, y0, x1, y1) {
        g.beginPath();
        g.moveTo(x0, y0);
        g.lineTo(x1, y1);
        g.stroke();
    }
    // Deep in a zoom the labels count from a time that stands at the axis once.
    drawTimeTicks(g, width) {
        const {x, y, view} = this, {base, from, to} = view.timeBase();
        const {factor, name} = timeUnit(Math.max(Math.abs(from), Math.abs(to)), view.head.timeUnit);
        const ticks = tickValues(from / factor, to / factor, (x.end - x.start) / 80), power = axisPower(from / factor, to / factor);
        g.textAlign = 'center';
        for (const value of ticks.list) {
            const px = Math.round(x.pixel(base + value * factor)) + 0.5;
            this.line(g, px, y.end, px, y.start);
            if (this.last) g.fillText(tickText(value, ticks.step, 10 ** power), px, y.start + 15);
        }
        if (!this.last) return;
        const unit = name ? `[${name}]` : '', ten = power !== 0 ? `·10${raised(power)} ` : '';
        const origin = base !== 0 ? ` − ${minus(String(base))} ${view.head.timeUnit}` : '';
        g.fillText(`t${origin} ${ten}${unit}`, (x.start + x.end) / 2, y.start + 30);
    }
    drawAcross(g, width) {
        const {x, y} = this, ticks = tickValues(x.from, x.to, (x.end - x.start) / 70), power = axisPower(x.from, x.to);
        g.textAlign = 'center';
        for (const value of ticks.list) {
            const px = Math.round(x.pixel(value)) + 0.5;
            this.line(g, px, y.end, px, y.start);
            g.fillText(tickText(value, ticks.step, 10 ** power), px, y.start + 15);
        }
        g.fillText(this.nameOf(this.against) + (power !== 0 ? ` ·10${raised(power)}` : ''), (x.start + x.end) / 2, y.start + 30);
    }
    // The line at the cursor and the values there: at an instant those of both sides.
    drawCursor() {
        const {view} = this, g = prepare(this.overlay, this.box.clientWidth, this.height), t = view.cursor;
        if (t !== null && this.inTime) {
            const px = this.x.pixel(t);
            g.strokeStyle = view.chosen !== null && view.chosen === t ? view.ink.accent : view.ink.faint;
            g.lineWidth = 1;
            this.line(g, px, this.y.end, px, this.y.start);
        }
        for (const curve of this.curves) this.readCurve(g, curve, t);
    }
    readCurve(g, curve, t) {
        const at = t !== null ? curve.run.around(t) : null, palette = this.view.palette();
        if (at === null) {
            curve.values.textContent = '';
            return;
        }
        const values = curve.run.columns[curve.column], before = values[at.left], after = values[at.right];
        const between = at.exact ? after : before + at.share * (after - before);
        const jump = at.exact && before !== after && (before === before || after === after);
        curve.values.textContent = jump ? ` ${valueText(before)} → ${valueText(after)}` : ` ${valueText(between)}`;
        const colour = palette[curve.colour % palette.length];
        for (const value of jump ? [before, after] : [between])
            if (value === value) {
                const px = this.inTime ? this.x.pixel(t) : this.x.pixel(this.acrossAt(curve.run, at, value === before));
                dot(g, px, this.y.pixel(value), colour, value === between || value === after ? colour : this.view.ink.background);
            }
    }
    acrossAt(run, at, left) {
        const values = run.columns[this.against];
        if (at.exact) return values[left ? at.left : at.right];
        return values[at.left] + at.share * (values[at.right] - values[at.left]);
    }
}
