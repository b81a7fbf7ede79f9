"""The least app with a slider and a chart: what Streamlit itself takes, and nothing of ours."""

import os

import plotly.graph_objects as go
import streamlit as st

points = int(os.environ["FLOOR_POINTS"])
factor = st.slider("Factor", 1, 50)
st.plotly_chart(go.Figure(go.Scatter(x=list(range(points)), y=[factor * x for x in range(points)])))
if "FLOOR_TABLE" in os.environ:
    st.dataframe({"x": [1, 2, 3]})
